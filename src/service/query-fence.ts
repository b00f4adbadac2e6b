/** Owns `at_least`: a query that waits until the rollups it reads contain given offsets, so that a producer reads what it wrote. */
import { RollupdError } from '../core/errors.ts'
import type { Shard } from '../core/shard.ts'
import type { RollupAnswer } from './rollup-answer.ts'
import type { RollupService } from './rollup-service.ts'
import type { Target } from './progress.ts'

/** Next offsets by partition, by topic. */
export type AtLeast = Readonly<Record<string, Readonly<Record<string, number>>>>

/** How often a wait looks whether the rollup still reads. */
const CHECK_MS = 200

/**
 * Returns when every named rollup that reads one of the topics has the offsets. `rollupNames` are those that the query reads.
 * Errors: bad_parameter for a topic that the query doesn't read or an unknown partition; not_reading at once for a paused or
 * halted shard that is short of its offset; at_least_timeout with the positions reached.
 */
export async function waitForOffsets(
  rollups: RollupService,
  rollupNames: readonly string[],
  atLeast: AtLeast,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  const answers = await Promise.all(rollupNames.map((name) => rollups.get(name)))
  for (const topic of Object.keys(atLeast)) {
    if (answers.some((rollup) => rollup.source.topic === topic)) continue
    throw new RollupdError('bad_parameter', `at_least names topic "${topic}", which the query doesn't read`, {
      hint: `It reads ${[...new Set(answers.map((rollup) => `"${rollup.source.topic}"`))].join(', ') || 'no topic'}.`,
    })
  }
  for (const rollup of answers) {
    const wanted = atLeast[rollup.source.topic]
    if (wanted !== undefined) await waitForRollup(rollups, rollup, wanted, deadlineMs, signal)
  }
}

async function waitForRollup(
  rollups: RollupService,
  first: RollupAnswer,
  wanted: Readonly<Record<string, number>>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<void> {
  const rollup = await rollups.find(first.name)
  const id = rollup.source?.topId ?? rollup.id
  const targets = toTargets(first, wanted)
  let present = first
  for (;;) {
    const short = targets.filter(({ shard, nextOffset }) => rollups.progress.positionOf(id, shard) < nextOffset)
    if (short.length === 0) return
    refuseIfNotReading(present, short)
    const remainingMs = deadlineMs - performance.now()
    if (remainingMs <= 0) throw toTimeout(rollups, id, present, short)
    if (await rollups.progress.waitFor(id, targets, Math.min(CHECK_MS, remainingMs), signal)) return
    if (signal.aborted) throw signal.reason
    present = await rollups.get(first.name)
  }
}

/** The topic's present id is that of the open shards. */
function toTargets(rollup: RollupAnswer, wanted: Readonly<Record<string, number>>): Target[] {
  return Object.entries(wanted).map(([key, nextOffset]) => {
    const shard = rollup.shards.find(({ status, partition }) => status !== 'closed' && String(partition) === key)
    if (shard === undefined) {
      throw new RollupdError(
        'bad_parameter',
        `at_least names partition ${key}, which rollup "${rollup.name}" doesn't read`,
      )
    }
    return { shard: toShard(shard), nextOffset }
  })
}

function toShard({ topic_id, partition }: RollupAnswer['shards'][number]): Shard {
  return { topicId: topic_id as Shard['topicId'], partition }
}

function refuseIfNotReading(rollup: RollupAnswer, short: readonly Target[]): void {
  if (rollup.status === 'paused') {
    throw new RollupdError('not_reading', `rollup "${rollup.name}" is paused short of the offsets of at_least`, {
      hint: `Resume it: POST /v1/rollups/${rollup.name}/resume.`,
    })
  }
  for (const { shard, nextOffset } of short) {
    const shown = rollup.shards.find(
      (s) => s.topic_id === shard.topicId && s.partition === shard.partition && s.status !== 'closed',
    )
    const reason = shown?.reason ?? rollup.reason
    if (reason === undefined || (shown?.status !== 'halted' && rollup.reason?.code !== 'disk_full')) continue
    throw new RollupdError(
      'not_reading',
      `partition ${shard.partition} of rollup "${rollup.name}" is halted (${reason.code}) before offset ${nextOffset}: ${reason.message}`,
      { hint: `Decide on it: POST /v1/rollups/${rollup.name}/resume.` },
    )
  }
}

function toTimeout(rollups: RollupService, id: number, rollup: RollupAnswer, short: readonly Target[]): RollupdError {
  const reached = Object.fromEntries(
    short.map(({ shard }) => [String(shard.partition), rollups.progress.positionOf(id, shard)]),
  )
  return new RollupdError('at_least_timeout', `rollup "${rollup.name}" did not reach the offsets of at_least in time`, {
    hint: 'Raise timeout_ms, or ask again.',
    detail: { rollup: rollup.name, topic: rollup.source.topic, reached },
  })
}
