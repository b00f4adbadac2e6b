/**
 * Owns what a shard's answers say about its position: errors that pass or halt, and whether the log still is the one that the position was
 * taken in (position-check.ts).
 */
import { RollupdError } from '../core/errors.ts'
import type { HaltReason } from '../core/shard.ts'
import { describeLoss, describeRecreation, findTruncation } from './position-check.ts'
import type { FetchAnswer, RecordSource } from './record-source.ts'
import { NOT_CHECKED, type ShardCursor } from './shard-cursor.ts'

/** Back-off of a shard with passing errors. */
export const RETRY_MS_MIN = 50
const RETRY_MS_MAX = 2000
const FAILURES_MAX = 10

export interface PositionGuardOptions {
  readonly topic: string
  readonly source: RecordSource
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  readonly onHalt: (cursor: ShardCursor, reason: HaltReason) => void
}

export class PositionGuard {
  readonly #options: PositionGuardOptions

  constructor(options: PositionGuardOptions) {
    this.#options = options
  }

  /** Whether the answer can be folded; notes what it tells of the log, or of an error. */
  async admit(cursor: ShardCursor, answer: FetchAnswer): Promise<boolean> {
    if (answer.error !== undefined) {
      await this.#handleError(cursor, answer.error, answer)
      return false
    }
    cursor.highWatermark = answer.highWatermark
    cursor.lastStableOffset = answer.lastStableOffset
    return answer.leaderEpoch === cursor.checkedEpoch || (await this.#checkEpoch(cursor, answer.leaderEpoch))
  }

  async #handleError(
    cursor: ShardCursor,
    { code, message }: NonNullable<FetchAnswer['error']>,
    answer: FetchAnswer,
  ): Promise<void> {
    const { topic, onHalt } = this.#options
    switch (code) {
      case 'recreated':
        return onHalt(cursor, describeRecreation(topic, cursor))
      case 'out_of_range':
        // a shard that halts here is behind all the same, and its lag must say so
        if (answer.highWatermark >= 0) cursor.highWatermark = answer.highWatermark
        if (answer.logStartOffset > cursor.next) onHalt(cursor, describeLoss(cursor, answer.logStartOffset))
        else if (await this.#checkEpoch(cursor, answer.leaderEpoch)) this.backOff(cursor, undefined)
        return
      case 'unknown_topic':
        return this.backOff(cursor, { code: 'unknown_topic', message })
      case 'broker_away':
        cursor.checkedEpoch = NOT_CHECKED
        return this.backOff(cursor, { code: 'broker_away', message })
      case 'stale_leader':
        cursor.checkedEpoch = NOT_CHECKED
        return this.backOff(cursor, undefined)
    }
  }

  /** On start, on each change of leader and after errors (KIP-320). False: halted, or to be asked again. */
  async #checkEpoch(cursor: ShardCursor, presentEpoch: number): Promise<boolean> {
    if (cursor.leaderEpoch >= 0) {
      try {
        const { topic, source, onHalt } = this.#options
        const truncation = findTruncation(cursor, await source.findEndOfEpoch(topic, cursor.shard, cursor.leaderEpoch))
        if (truncation !== undefined) {
          onHalt(cursor, truncation)
          return false
        }
      } catch (error) {
        if (!(error instanceof RollupdError)) throw error
        const isAway = error.code === 'broker_away'
        this.backOff(cursor, isAway ? { code: 'broker_away', message: error.message } : undefined)
        return false
      }
    }
    cursor.checkedEpoch = presentEpoch
    return true
  }

  /** The shard is asked again later; `reason`: what it waits for, for people. */
  backOff(cursor: ShardCursor, reason: HaltReason | undefined): void {
    if (reason !== undefined) cursor.wait(reason)
    cursor.askAgainAtMs = this.#options.clock() + Math.min(RETRY_MS_MIN * 2 ** cursor.failures, RETRY_MS_MAX)
    cursor.failures = Math.min(cursor.failures + 1, FAILURES_MAX)
  }
}
