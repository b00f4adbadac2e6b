/** Owns where reading stands on one shard, and what is known of its log. */
import { toShardKey, type HaltReason, type Shard } from '../core/shard.ts'

/** A record batch larger than this can't have been written by a broker with default limits; more is asked only as told. */
const FETCH_BYTES_MAX = 1 << 30

/** As checkedEpoch: the position has not been checked since it was taken. */
export const NOT_CHECKED = -2

export type ShardStatus = 'waiting' | 'reading' | 'halted'

export interface ShardStart {
  readonly shard: Shard
  readonly nextOffset: number
  readonly leaderEpoch: number
  readonly halt?: HaltReason
  readonly acceptedErrorOffset?: number
}

export class ShardCursor {
  readonly shard: Shard
  /** The shard's, in a Map. */
  readonly key: string
  status: ShardStatus = 'waiting'
  reason: HaltReason | undefined
  /** Next offset to fold. */
  next: number
  /** Epoch of the last folded batch; -1: none folded yet. */
  leaderEpoch: number
  /** A record that becomes a dead letter although on_error is halt; -1: none. */
  acceptedErrorOffset: number
  /** Epoch of the leader that our position was last checked against; -2: not checked since start. */
  checkedEpoch = NOT_CHECKED
  highWatermark: number | undefined
  lastStableOffset: number | undefined
  /** Timestamp of the last folded record in milliseconds; -1: none since start. */
  lastTimestampMs = -1
  /** Bytes asked of the shard at once. */
  fetchBytes: number
  /** Passing errors in a row, for the back-off. */
  failures = 0
  /** Milliseconds of the clock before which it is not asked again. */
  askAgainAtMs = 0
  /** Answers in a row whose first batch reached beyond the watermark. */
  pastEnds = 0
  /** Fetches that left this shard out, for being ahead of the others in record time. */
  skips = 0

  constructor(start: ShardStart, fetchBytes: number) {
    this.fetchBytes = fetchBytes
    this.shard = start.shard
    this.key = toShardKey(start.shard)
    this.next = start.nextOffset
    this.leaderEpoch = start.leaderEpoch
    this.acceptedErrorOffset = start.acceptedErrorOffset ?? -1
    if (start.halt !== undefined) this.halt(start.halt)
  }

  /** Of another reading of the shard, which goes on from here. */
  copy(): ShardCursor {
    const copy = new ShardCursor(
      {
        shard: this.shard,
        nextOffset: this.next,
        leaderEpoch: this.leaderEpoch,
        acceptedErrorOffset: this.acceptedErrorOffset,
      },
      this.fetchBytes,
    )
    copy.status = this.status
    copy.reason = this.reason
    copy.checkedEpoch = this.checkedEpoch
    copy.highWatermark = this.highWatermark
    copy.lastStableOffset = this.lastStableOffset
    copy.lastTimestampMs = this.lastTimestampMs
    copy.failures = this.failures
    copy.askAgainAtMs = this.askAgainAtMs
    return copy
  }

  /** Takes over what another reading of the shard knows that stands at the same position; false: it doesn't, or one of them halted. */
  join(other: ShardCursor): boolean {
    if (other.next !== this.next || !this.isOpen || !other.isOpen) return false
    this.leaderEpoch = Math.max(this.leaderEpoch, other.leaderEpoch)
    if (other.checkedEpoch !== this.checkedEpoch) this.checkedEpoch = NOT_CHECKED
    this.lastTimestampMs = Math.max(this.lastTimestampMs, other.lastTimestampMs)
    this.raiseFetchBytes(other.fetchBytes)
    return true
  }

  /** Goes to another position, where the log hasn't been looked at. */
  rewind(next: number): void {
    if (next === this.next) return
    this.next = next
    this.checkedEpoch = NOT_CHECKED
  }

  get isOpen(): boolean {
    return this.status !== 'halted'
  }

  /** All that can be read now has been folded. */
  get isAtEnd(): boolean {
    return this.lastStableOffset !== undefined && this.next >= this.lastStableOffset
  }

  get isBlockedByTransaction(): boolean {
    return this.isAtEnd && this.highWatermark !== undefined && this.next < this.highWatermark
  }

  halt(reason: HaltReason): void {
    this.status = 'halted'
    this.reason = reason
  }

  wait(reason: HaltReason): void {
    this.status = 'waiting'
    this.reason = reason
  }

  read(): void {
    this.status = 'reading'
    this.reason = undefined
    this.failures = 0
  }

  /** The first batch didn't fit: ask for all of it from now on. */
  raiseFetchBytes(bytes: number): void {
    this.fetchBytes = Math.min(Math.max(this.fetchBytes, bytes), FETCH_BYTES_MAX)
  }
}
