/**
 * Owns which spans of a rollup's groups a commit has changed. A span is a minute of buckets, or what is coarser: a stretch of the primary key, so that
 * a reader with a copy of an older commit reads little again (query/column-copy.ts). Written in the commit's own transaction: whoever sees the
 * groups of a commit sees its spans.
 */
import type BetterSqlite3 from 'better-sqlite3'

/** Microseconds of buckets. A commit that has caught up touches one or two minutes; finer ones would cost it a row for each bucket. */
const SPAN_MICROSECONDS = 60_000_000
const SPAN_MICROSECONDS_BIG = BigInt(SPAN_MICROSECONDS)
const INT64_MIN = -(1n << 63n)
const INT64_MAX = (1n << 63n) - 1n

/** The span of a bucket: rounded down, exactly. */
export function spanOf(bucket: number | bigint): number {
  if (typeof bucket === 'number' && Number.isSafeInteger(bucket)) {
    const rest = bucket % SPAN_MICROSECONDS
    return (bucket - rest) / SPAN_MICROSECONDS - (rest < 0 ? 1 : 0)
  }
  const big = BigInt(bucket)
  const rest = big % SPAN_MICROSECONDS_BIG
  return Number((big - rest) / SPAN_MICROSECONDS_BIG) - (rest < 0n ? 1 : 0)
}

/** The first and the last bucket that spans `from` up to, but without, `end` can hold; an end may be infinite. */
export function bucketsOfSpans(from: number, end: number): readonly [first: bigint, last: bigint] {
  const first = from === -Infinity ? INT64_MIN : BigInt(from) * SPAN_MICROSECONDS_BIG
  const last = end === Infinity ? INT64_MAX : BigInt(end) * SPAN_MICROSECONDS_BIG - 1n
  return [first < INT64_MIN ? INT64_MIN : first, last > INT64_MAX ? INT64_MAX : last]
}

/** Of one rollup, on the leaf's own connection. */
export class ChangedSpans {
  readonly #rollupId: number
  readonly #put: BetterSqlite3.Statement<[number, number, number]>

  constructor(connection: BetterSqlite3.Database, rollupId: number) {
    this.#rollupId = rollupId
    this.#put = connection.prepare(
      `INSERT INTO changed_spans VALUES (?, ?, ?)
       ON CONFLICT (rollup_id, span) DO UPDATE SET epoch = excluded.epoch`,
    )
  }

  /** Caller has the transaction. */
  note(span: number, epoch: number): void {
    this.#put.run(this.#rollupId, span, epoch)
  }
}

/** Spans that commits behind `epoch` have changed, ascending; those that the caller's transaction sees. */
export function spansChangedSince(connection: BetterSqlite3.Database, rollupId: number, epoch: number): number[] {
  const spans = connection
    .prepare<[number, number], bigint>('SELECT span FROM changed_spans WHERE rollup_id = ? AND epoch > ? ORDER BY span')
    .pluck()
    .safeIntegers()
    .all(rollupId, epoch)
  return spans.map(Number)
}
