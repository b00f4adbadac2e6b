/** Owns what becomes of halted shards: a person's `resume {accept}`, or the policy `on_loss: accept`, as changes of the leaf. */
import { RollupdError } from '../core/errors.ts'
import type { HaltCode, Shard } from '../core/shard.ts'
import type { ShardChange, StoredRollup, StoredShard } from '../leaf/leaf-store.ts'
import type { RecordSource } from '../tailer/record-source.ts'

/** Codes that can be accepted: reading goes on past what is lost or wrong. Other halts only end when their cause does. */
export const ACCEPTABLE_CODES = [
  'lost',
  'corrupt',
  'truncated',
  'recreated',
  'record_error',
] as const satisfies HaltCode[]
export type AcceptableCode = (typeof ACCEPTABLE_CODES)[number]

/** What the policy `on_loss: accept` accepts. A record error is no loss: `on_error` decides on it. */
export const LOSS_CODES: readonly AcceptableCode[] = ['lost', 'corrupt', 'truncated', 'recreated']

export interface Decision {
  readonly changes: readonly { readonly shard: Shard; readonly change: ShardChange; readonly warning?: string }[]
  /** Of a topic made again. */
  readonly added: readonly { readonly shard: Shard; readonly startOffset: number }[]
  readonly warning?: string
}

/** Decides on every halted shard; a code that isn't accepted is tried again. Errors: broker_away, unknown_topic. */
export async function decideHalts(
  rollup: StoredRollup,
  accepted: ReadonlySet<string>,
  source: RecordSource,
): Promise<Decision> {
  const changes: { shard: Shard; change: ShardChange; warning?: string }[] = []
  const halted = rollup.shards.filter((shard) => !shard.closed && shard.halt !== undefined)
  for (const shard of halted)
    changes.push({ shard: shard.shard, ...(await decideOne(rollup, shard, accepted, source)) })
  const isRecreated = halted.some((shard) => shard.halt?.code === 'recreated')
  if (!isRecreated || !accepted.has('recreated')) return { changes, added: [] }
  return { ...(await moveToNewTopic(rollup, source)) }
}

async function decideOne(
  rollup: StoredRollup,
  { shard, nextOffset, halt }: StoredShard,
  accepted: ReadonlySet<string>,
  source: RecordSource,
): Promise<{ change: ShardChange; warning?: string }> {
  const code = halt?.code
  if (code === undefined || !accepted.has(code)) return { change: { kind: 'clear_halt' } }
  const goOnAt = halt?.goOnAt ?? nextOffset
  switch (code) {
    case 'lost': {
      // more may have been removed since the shard halted
      const topic = await source.findTopic(rollup.topic)
      const present =
        topic?.id === shard.topicId ? topic.partitions.find((p) => p.partition === shard.partition) : undefined
      const to = Math.max(goOnAt, present?.startOffset ?? 0)
      return {
        change: { kind: 'skip_lost', to },
        warning: describeAccepted(shard, nextOffset, to, 'were removed from the log before they were read'),
      }
    }
    case 'corrupt':
      return {
        change: { kind: 'skip_lost', to: goOnAt },
        warning: describeAccepted(shard, nextOffset, goOnAt, 'could not be read'),
      }
    case 'truncated':
      return {
        change: { kind: 'restart', at: goOnAt },
        warning: `${nextOffset - goOnAt} records of partition ${shard.partition} that the log lost (offsets ${goOnAt} to ${nextOffset - 1} before its truncation) are still counted`,
      }
    case 'record_error':
      return { change: { kind: 'accept_error', offset: goOnAt } }
    default:
      return { change: { kind: 'clear_halt' } }
  }
}

function describeAccepted(shard: Shard, from: number, to: number, what: string): string {
  return `offsets ${from} to ${to - 1} of partition ${shard.partition} ${what}; they are counted as lost`
}

/** All shards of the old topic id keep their counts; the new topic is read from its first offsets. */
async function moveToNewTopic(rollup: StoredRollup, source: RecordSource): Promise<Decision> {
  const topic = await source.findTopic(rollup.topic)
  if (topic === undefined) {
    throw new RollupdError('unknown_topic', `topic "${rollup.topic}" does not exist now`, {
      hint: 'Create it, then resume again.',
    })
  }
  const open = rollup.shards.filter((shard) => !shard.closed)
  const old = open.filter((shard) => shard.shard.topicId !== topic.id)
  // those of the present topic are read already; a halt of theirs is tried again
  const present = open.filter((shard) => shard.shard.topicId === topic.id)
  const known = new Set(present.map(({ shard }) => shard.partition))
  return {
    changes: [
      ...old.map(({ shard }) => ({ shard, change: { kind: 'close' as const } })),
      ...present
        .filter(({ halt }) => halt !== undefined)
        .map(({ shard }) => ({ shard, change: { kind: 'clear_halt' as const } })),
    ],
    added: topic.partitions
      .filter(({ partition }) => !known.has(partition))
      .map(({ partition, startOffset }) => ({ shard: { topicId: topic.id, partition }, startOffset })),
    warning: `topic "${rollup.topic}" was deleted and created again; records of the old one stay counted, the new one is read from its first offsets`,
  }
}
