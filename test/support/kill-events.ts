/**
 * The records of the kill test: page views of the bench's shape, with late ones, numbers whose sums no double holds, and records
 * that don't count. What is good also goes into a file for the oracle.
 */
import { PageViews } from '../../bench/support/page-views.ts'
import { SeededRandom } from '../fuzz/seeded-random.ts'

/** How late a record may be. */
const LATE_MS_MAX = 86_400_000
/** Latencies and balances are whole numbers of these: then the exact sums of the doubles are known as integers. */
export const UNITS = 64
const LATENCY_UNITS_MAX = 1000 * UNITS
/** Balances span so many powers of two that adding them as doubles would drop their small parts. */
const BALANCE_SHIFTS = [0, 20, 40] as const

export type RecordKind = 'good' | 'broken' | 'wrong_kind' | 'tombstone'

export interface KillRecord {
  readonly kind: RecordKind
  /** Null: a tombstone. */
  readonly value: string | null
  readonly timestampMs: number
}

/** One sequence for a seed. */
export class KillEvents {
  readonly #views: PageViews
  readonly #random: SeededRandom

  constructor(seed: number) {
    this.#views = new PageViews(seed)
    this.#random = new SeededRandom(seed)
  }

  next(): KillRecord {
    const random = this.#random
    const view = this.#views.next()
    const writtenAtMs = Date.parse(view.ts)
    const units = BigInt(random.below(1000 * UNITS) - 500 * UNITS) << BigInt(random.pick(BALANCE_SHIFTS))
    const event = {
      ...view,
      ts: random.chance(0.05) ? new Date(writtenAtMs - random.below(LATE_MS_MAX)).toISOString() : view.ts,
      latency_ms: random.below(LATENCY_UNITS_MAX) / UNITS,
      ...(random.chance(0.3) ? { referrer: `/page/${random.below(50)}` } : {}),
      balance: Number(units) / UNITS,
      // for the oracle, which would read the number's text as a decimal
      balance_units: String(units),
    }
    const kind = this.#chooseKind()
    return { kind, value: toValue(kind, event), timestampMs: writtenAtMs }
  }

  #chooseKind(): RecordKind {
    const place = this.#random.next()
    if (place < 0.002) return 'broken'
    if (place < 0.004) return 'wrong_kind'
    return place < 0.005 ? 'tombstone' : 'good'
  }
}

function toValue(kind: RecordKind, event: Record<string, unknown>): string | null {
  switch (kind) {
    case 'good':
      return JSON.stringify(event)
    case 'broken':
      return JSON.stringify(event).slice(0, -9)
    case 'wrong_kind':
      // past the WHERE, into an argument that takes numbers
      return JSON.stringify({ ...event, ok: true, latency_ms: 'slow' })
    case 'tombstone':
      return null
  }
}
