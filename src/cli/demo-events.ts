/** Owns the demo's records: a deterministic stream of page views, some late, out of order or broken, and what they add up to. */

const COUNTRIES = ['US', 'DE', 'FR', 'IN', 'BR', 'JP', 'KE']
const FIRST_MS = Date.UTC(2026, 0, 1)
const STEP_MS = 50
const USERS = 180

export interface DemoRecord {
  /** The record's bytes as text. */
  readonly value: string
  /** What the statement should make of it; undefined: it can't be evaluated, or WHERE leaves it out. */
  readonly counted:
    | { readonly minute: string; readonly country: string | null; readonly latencyMs: number; readonly user: number }
    | undefined
}

/** Numbers from a seed, the same on each machine (a linear congruential generator). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return state / 0x8000_0000
  }
}

/** The stream, the same each time; it never ends. */
export class DemoStream {
  readonly #random = createRandom(7)
  #index = 0

  /** The next `count` records. */
  take(count: number): DemoRecord[] {
    return Array.from({ length: count }, () => createRecord(this.#index++, this.#random))
  }
}

function createRecord(index: number, random: () => number): DemoRecord {
  const broken = createBroken(index)
  if (broken !== undefined) return { value: broken, counted: undefined }
  // a little out of order always, and one in fifty up to ten minutes late
  const lateMs = random() < 0.02 ? random() * 600_000 : random() * 2000
  const time = new Date(FIRST_MS + index * STEP_MS - Math.floor(lateMs))
  const country = random() < 0.01 ? null : (COUNTRIES[Math.floor(random() ** 2 * COUNTRIES.length)] ?? 'US')
  const user = Math.floor(random() * USERS)
  // quarters of a millisecond: their sums are exact in a double, so the check below needs no arithmetic of its own
  const latencyMs = Math.floor(random() ** 3 * 4000) / 4
  const ok = random() < 0.97
  const value = JSON.stringify({
    ts: time.toISOString(),
    country,
    user_id: user,
    path: `/page/${Math.floor(random() * 40)}`,
    latency_ms: latencyMs,
    ok,
  })
  const minute = `${time.toISOString().slice(0, 16)}:00Z`
  return { value, counted: ok ? { minute, country, latencyMs, user } : undefined }
}

/** Some records that no statement can evaluate, each broken in another way. */
function createBroken(index: number): string | undefined {
  switch (index % 1009) {
    case 100:
      return '{"ts":"2026-01-01T00:00:00Z","country":"US",'
    case 300:
      return '{"ts":"the day before yesterday","country":"US","user_id":1,"latency_ms":1,"ok":true}'
    case 500:
      return '{"ts":"2026-01-01T00:00:00Z","country":"US","user_id":1,"latency_ms":"fast","ok":true}'
    default:
      return undefined
  }
}

export interface ExpectedRow {
  readonly minute: string
  readonly country: string | null
  readonly views: number
  readonly avg_latency: number
  readonly my_crazy_metric: number
}

/** The statement's answer computed from the records themselves: GROUP BY minute, country HAVING COUNT(*) > 10, in that order. */
export function computeExpectedRows(records: readonly DemoRecord[]): ExpectedRow[] {
  const groups = new Map<
    string,
    { minute: string; country: string | null; views: number; sum: number; users: Set<number> }
  >()
  for (const { counted } of records) {
    if (counted === undefined) continue
    const { minute, country, latencyMs, user } = counted
    const key = `${minute} ${country ?? ''}`
    const group = groups.get(key) ?? { minute, country, views: 0, sum: 0, users: new Set<number>() }
    groups.set(key, group)
    group.views++
    group.sum += latencyMs
    group.users.add(user)
  }
  return [...groups.values()]
    .filter(({ views }) => views > 10)
    .sort((a, b) => compareText(a.minute, b.minute) || compareNullsLast(a.country, b.country))
    .map(({ minute, country, views, sum, users }) => {
      const average = sum / views
      return { minute, country, views, avg_latency: average, my_crazy_metric: views * average + users.size }
    })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareNullsLast(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return compareText(a, b)
}
