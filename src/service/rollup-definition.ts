/** Owns what a request for a rollup makes of it: one that reads a topic, or one that follows another rollup. */
import { RollupdError } from '../core/errors.ts'
import type { OnError, OnLoss } from '../core/policy.ts'
import type { RollupDefinition, StoredRollup } from '../leaf/leaf-store.ts'
import type { RollupPlan } from '../planner/plan.ts'
import type { RecordSource, Topic } from '../tailer/record-source.ts'
import { findTopic } from './find-topic.ts'
import { resolveStart, type Start } from './start-position.ts'

export interface TopicSource {
  readonly topic: string
  readonly start?: Start
}

export interface CreateRollupRequest {
  readonly name: string
  readonly sql: string
  readonly source: TopicSource | { readonly rollup: string }
  readonly on_error?: OnError
  readonly on_loss?: OnLoss
  readonly indexes?: readonly (readonly string[])[]
}

/** Errors: unknown_topic, start_out_of_range, bad_parameter, broker_away. */
export async function defineReader(
  request: CreateRollupRequest,
  { topic: topicName, start = 'earliest' }: TopicSource,
  plan: RollupPlan,
  records: RecordSource,
): Promise<{ topic: Topic; definition: RollupDefinition }> {
  const topic = await findTopic(records, topicName)
  const definition = {
    name: request.name,
    plan,
    topic: topic.name,
    start,
    onError: request.on_error ?? 'dead_letter',
    onLoss: request.on_loss ?? 'halt',
    indexes: request.indexes ?? [],
    shards: await resolveStart(records, topic, start),
  }
  return { topic, definition }
}

/** Errors: bad_parameter for what only one that reads a topic can have. */
export function refuseReaderOptions(request: CreateRollupRequest): void {
  for (const option of ['on_error', 'on_loss'] as const) {
    if (request[option] === undefined) continue
    throw new RollupdError('bad_parameter', `${option} goes with a topic, not with a rollup as the source`, {
      hint: 'No records are read: an expression that fails is NULL.',
    })
  }
}

export function defineFollower(
  { name, indexes = [] }: CreateRollupRequest,
  source: StoredRollup,
  plan: RollupPlan,
): RollupDefinition {
  return {
    name,
    plan,
    topic: source.topic,
    start: null,
    onError: 'null',
    onLoss: source.onLoss,
    indexes,
    shards: [],
    sourceId: source.id,
  }
}
