/** Owns the answer to a fetch that gives nothing but its reason. */
import type { Shard } from '../core/shard.ts'
import type { FetchAnswer, FetchErrorCode } from './record-source.ts'

/** What is said of an offset or epoch that is not known. */
export const UNKNOWN = -1
export const NO_BYTES = new Uint8Array(0)

/** An answer without bytes, with its reason; nothing is known of the log. */
export function toErrorAnswer(shard: Shard, code: FetchErrorCode, message: string): FetchAnswer {
  return {
    shard,
    error: { code, message },
    bytes: NO_BYTES,
    highWatermark: UNKNOWN,
    lastStableOffset: UNKNOWN,
    logStartOffset: UNKNOWN,
    leaderEpoch: UNKNOWN,
    aborted: [],
  }
}
