/** Owns where reading stands on one shard, and what is known of its log. */
import type { HaltReason, Shard } from '../core/shard.ts'

/** A record batch larger than this can't have been written by a broker with default limits; more is asked only as told. */
const FETCH_BYTES_MAX = 1 << 30

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
  status: ShardStatus = 'waiting'
  reason: HaltReason | undefined
  /** Next offset to fold. */
  next: number
  /** Epoch of the last folded batch; -1: none folded yet. */
  leaderEpoch: number
  /** A record that becomes a dead letter although on_error is halt; -1: none. */
  acceptedErrorOffset: number
  /** Epoch of the leader that our position was last checked against; -2: not checked since start. */
  checkedEpoch = -2
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
    this.next = start.nextOffset
    this.leaderEpoch = start.leaderEpoch
    this.acceptedErrorOffset = start.acceptedErrorOffset ?? -1
    if (start.halt !== undefined) this.halt(start.halt)
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
