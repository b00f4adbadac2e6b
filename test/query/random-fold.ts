/** Owns random groups and random statements over them that copies of columns may serve. */
import type { SeededRandom } from '../fuzz/seeded-random.ts'

/** Grouping values of each storage, and an aggregate of each way in which states are folded, or aren't. */
export const STATEMENT = `SELECT date_trunc('minute', ts::timestamptz) AS minute, country, path::text AS path, ok::boolean AS ok, i::bigint AS i,
  COUNT(*) AS n, COUNT(x) AS nx, SUM(x::double precision) AS sx, AVG(x::double precision) AS ax, SUM(w::bigint) AS sw, AVG(w::bigint) AS aw,
  SUM(u) AS su, AVG(u) AS au, MIN(w::bigint) AS least, MAX(x::double precision) AS greatest, MAX(ts::timestamptz) AS latest, MAX(u) AS mu,
  BOOL_AND(ok::boolean) AS every, APPROX_DISTINCT(u) AS distinct, COUNT(*) * AVG(x::double precision) AS made
  FROM _input GROUP BY 1, 2, 3, 4, 5`

const START_MS = Date.UTC(2026, 0, 1)
/** Those that groups are of; copies are read by 16. */
const MINUTES = Array.from({ length: 12 }, (_, index) => index * 9)
const COUNTRIES = ['DE', 'FR', '', 'é', 7, 7.5, null, true, [1], { a: 1 }] as const
/** `wide`: totals that need more than limbs, integers beyond 2^53, NaN. */
export type Extent = 'usual' | 'wide'

export function randomRecord(random: SeededRandom, extent: Extent): object {
  const isWide = extent === 'wide' && random.chance(0.1)
  const record: Record<string, unknown> = {}
  const ms = START_MS + random.pick(MINUTES) * 60_000 + random.below(60_000)
  if (random.chance(0.95)) record['ts'] = new Date(ms).toISOString()
  if (random.chance(0.9)) record['country'] = random.pick(COUNTRIES)
  if (random.chance(0.9)) record['path'] = random.pick(['/', '/a', '/b', "it's", 'ü'])
  if (random.chance(0.9)) record['ok'] = random.chance(0.5)
  if (random.chance(0.9)) record['i'] = random.below(4) - 2
  if (random.chance(0.85))
    record['x'] = isWide ? random.pick([1e300, -1e300, 1e15, 1e-40, 'NaN']) : randomNumber(random)
  if (random.chance(0.85)) record['w'] = isWide ? 2 ** 53 * random.pick([-8, 8]) : random.below(1000) - 500
  if (random.chance(0.85)) record['u'] = random.chance(0.5) ? random.below(50) : randomNumber(random)
  return record
}

function randomNumber(random: SeededRandom): number {
  return random.pick([0, 0.1, -0.1, 1e9, -1e9, 2 ** -60, 123.456, random.next() * 1000, -random.next()])
}

const KEYS = [
  'country',
  'path',
  'ok',
  'i',
  'minute',
  "coalesce(path, '-')",
  "date_trunc('hour', minute)",
  'i % 2',
  'extract(minute FROM minute)',
  "CASE WHEN i > 0 THEN 'up' ELSE 'down' END",
  'upper(path)',
  'i / 2.0::double precision',
  'country = path',
]
const AGGREGATES = [
  'COUNT(*)',
  'SUM(n)',
  'AVG(n)',
  'COUNT(n)',
  'MIN(n)',
  'MAX(nx)',
  'SUM(least)',
  'AVG(least)',
  'COUNT(least)',
  'MIN(least)',
  'MAX(greatest)',
  'COUNT(greatest)',
  'MIN(latest)',
  'COUNT(DISTINCT path)',
  'MAX(i)',
  'MIN(path)',
  'MIN(country)',
  'MAX(every)',
  'MAX(mu)',
  ...['n', 'nx', 'sx', 'ax', 'sw', 'aw', 'su', 'au', 'least', 'greatest', 'latest', 'made', 'mu'].map(
    (name) => `MEASURE(${name})`,
  ),
]
/** Only the groups themselves have an answer to these. */
const OTHER_AGGREGATES = [
  'MEASURE(distinct)',
  'SUM(greatest)',
  'MIN(mu)',
  'COUNT(country)',
  'SUM(sx)',
  "string_agg(path, ',')",
]
const CONDITIONS = [
  "country = 'DE'",
  "country <> 'DE'",
  'country = 7',
  'country IS NULL',
  "path LIKE '/%'",
  'ok',
  'NOT ok',
  'i > 0',
  "path IN ('/', '/a')",
  "i > 0 OR path = '/b'",
  'country = path',
  '10 / i > 3',
  "minute >= '2026-01-01T00:45Z'",
  "minute < '2026-01-01T01:21Z'",
  "minute = '2026-01-01T00:27Z'",
  "minute BETWEEN '2026-01-01T00:18Z' AND '2026-01-01T00:50Z'",
  "minute >= '2026-01-01T00:50Z' AND minute < '2026-01-01T01:10Z'",
  "minute > '2026-01-01T00:50Z' AND minute < '2026-01-01T00:30Z'",
  "minute < '2025-12-01T00:00Z'",
  'minute IS NULL',
  "minute > '2026-01-01T00:45Z' OR path = '/'",
  'extract(minute FROM minute) > 6',
  "country IN ('DE', 'FR')",
]
/** These read the groups themselves. */
const OTHER_CONDITIONS = ['n > 1', 'greatest > 100', 'path IN (SELECT path FROM r WHERE n > 2)']

export function randomStatement(random: SeededRandom): string {
  const keys = [...new Set(Array.from({ length: random.below(4) }, () => random.pick(KEYS)))]
  const aggregate = (): string => {
    const call = random.pick(random.chance(0.04) ? OTHER_AGGREGATES : AGGREGATES)
    if (!random.chance(0.1)) return call
    return `${call} FILTER (WHERE ${random.pick(CONDITIONS)})`
  }
  const outputs = Array.from({ length: 1 + random.below(3) }, aggregate)
  const columns = [...keys, ...outputs].map((text, index) => `${text} AS o${index}`)
  const conditions = Array.from({ length: random.pick([0, 0, 1, 2]) }, () =>
    random.pick(random.chance(0.05) ? OTHER_CONDITIONS : CONDITIONS),
  )
  return [
    `SELECT ${columns.join(', ')} FROM r`,
    conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`,
    keys.length === 0 ? '' : ` GROUP BY ${groupBy(random, keys)}`,
    random.chance(0.15) ? ` HAVING ${random.pick(['COUNT(*) > 1', 'SUM(n) > 3', 'MEASURE(ax) > 10'])}` : '',
    random.chance(0.5) ? orderBy(random, columns.length) : '',
  ].join('')
}

/** By all outputs, so that there is one order, and one beginning of it. */
function orderBy(random: SeededRandom, count: number): string {
  const first = random.below(count)
  const others = Array.from({ length: count }, (_, index) => `o${index}`).filter((_, index) => index !== first)
  const keys = [`o${first}${random.pick(['', ' DESC', ' NULLS FIRST'])}`, ...others]
  return ` ORDER BY ${keys.join(', ')}${random.chance(0.4) ? ` LIMIT ${random.below(5)}` : ''}`
}

function groupBy(random: SeededRandom, keys: readonly string[]): string {
  const ordinals = keys.map((_, index) => String(index + 1))
  if (!random.chance(0.15)) return ordinals.join(', ')
  return random.pick([
    `ROLLUP (${keys.join(', ')})`,
    `CUBE (${keys.join(', ')})`,
    `GROUPING SETS ((${keys.join(', ')}), ())`,
  ])
}
