/**
 * Owns random queries over a table of typed rows, written so that PostgreSQL reads the same text: windows and the forms that are made
 * of them. Wherever rows could be told apart by their order alone, the key `id` settles it.
 */
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { lateralQuery } from './random-lateral-query.ts'
import {
  direction,
  KEYS,
  QUERY_COLUMNS,
  randomColumn,
  randomWindow,
  some,
  windowOutput,
  type QueryOutput,
} from './random-windows.ts'

/** `FROM` and what follows may name the table as ROWS. */
export interface RowsQuery {
  readonly outputs: readonly QueryOutput[]
  /** Behind SELECT: DISTINCT ON. */
  readonly head: string
  readonly tail: string
  /** Behind the whole: a set operation with the same outputs. */
  readonly isOrdered: boolean
}

const MAX_OUTPUTS = 4

export function randomRowsQuery(random: SeededRandom): RowsQuery {
  const make = random.pick([
    windowQuery,
    windowQuery,
    windowQuery,
    groupedWindowQuery,
    distinctOn,
    withTies,
    setOperation,
    joinedValues,
    wholeSeries,
    seriesOfTimes,
    groupingSets,
    groupingSets,
    lateralQuery,
    lateralQuery,
  ])
  return make(random)
}

/** The statement over a table of that name. */
export function printRowsQuery({ head, outputs, tail }: RowsQuery, table: string): string {
  const list = outputs.map(({ sql }, index) => `${sql} AS o${index}`).join(', ')
  return `SELECT ${head}${list} ${tail}`.replaceAll('ROWS_', table)
}

function windowQuery(random: SeededRandom): RowsQuery {
  const named = random.chance(0.3) ? randomWindow(random, true) : undefined
  const outputs = [
    { sql: 'id', type: 'bigint' } as const,
    ...some(random, 1 + random.below(MAX_OUTPUTS), () => windowOutput(random, named === undefined ? undefined : 'w')),
  ]
  const where = random.chance(0.3) ? ' WHERE i > 0' : ''
  const clause = named === undefined ? '' : ` WINDOW w AS (${named})`
  return { head: '', outputs, tail: `FROM ROWS_${where}${clause} ORDER BY id`, isOrdered: true }
}

/** Windows over groups: their arguments and keys are aggregates. */
function groupedWindowQuery(random: SeededRandom): RowsQuery {
  const key = random.pick(['g', 'i', 'p', 'n'])
  const sum = random.pick(['SUM(i)', 'COUNT(*)', 'MAX(x)', 'MIN(z)'])
  const over = random.pick([
    `OVER (ORDER BY ${sum}, ${key})`,
    `OVER (PARTITION BY COUNT(*) ORDER BY ${key} DESC)`,
    `OVER (ORDER BY ${key} ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)`,
  ])
  const outputs: QueryOutput[] = [
    { sql: `row_number() ${over}`, type: 'bigint' },
    { sql: `SUM(COUNT(*)) ${over}`, type: 'numeric' },
    { sql: `MAX(SUM(x)) ${over}`, type: 'double precision' },
    { sql: `COUNT(*) FILTER (WHERE ${key} IS NOT NULL) ${over}`, type: 'bigint' },
    { sql: `lag(COUNT(*)) ${over}`, type: 'bigint' },
  ]
  return {
    head: '',
    outputs: some(random, 1 + random.below(3), () => random.pick(outputs)),
    tail: `FROM ROWS_ GROUP BY ${key} ORDER BY ${key}`,
    isOrdered: true,
  }
}

function distinctOn(random: SeededRandom): RowsQuery {
  const keys = some(random, 1 + random.below(2), () => random.pick(KEYS))
  const order = [...keys, ...some(random, random.below(2), () => random.pick(KEYS))].map(
    (key) => `${key}${direction(random)}`,
  )
  return {
    head: `DISTINCT ON (${keys.join(', ')}) `,
    outputs: [{ sql: 'id', type: 'bigint' }, randomColumn(random)],
    tail: `FROM ROWS_ ORDER BY ${order.join(', ')}, id${limit(random)}`,
    isOrdered: true,
  }
}

function withTies(random: SeededRandom): RowsQuery {
  const offset = random.chance(0.4) ? ` OFFSET ${random.below(6)}` : ''
  const isGrouped = random.chance(0.3)
  return {
    head: '',
    outputs: isGrouped ? [{ sql: 'COUNT(*)', type: 'bigint' }] : [randomColumn(random)],
    tail: `FROM ROWS_${isGrouped ? ' GROUP BY g' : ''} ORDER BY 1${direction(random)}${offset} FETCH FIRST ${random.below(7)} ROWS WITH TIES`,
    isOrdered: false,
  }
}

function setOperation(random: SeededRandom): RowsQuery {
  const outputs = some(random, 1 + random.below(2), () => randomColumn(random))
  const armCount = 1 + random.below(2)
  const arms = some(random, armCount, () => {
    const operator = random.pick(['UNION', 'UNION ALL', 'INTERSECT', 'INTERSECT ALL', 'EXCEPT', 'EXCEPT ALL'])
    // a NULL takes the type of the other side's column; two of them are texts
    const arm = outputs.map(({ sql }) => (armCount === 1 && random.chance(0.2) ? 'NULL' : sql)).join(', ')
    return `${operator} SELECT ${arm} FROM ROWS_ WHERE ${random.pick(['j > 0', 'id % 2 = 0', 'x > 0'])}`
  })
  return {
    head: random.chance(0.2) ? 'DISTINCT ' : '',
    outputs,
    tail: `FROM ROWS_ WHERE ${random.pick(['i > 0', 'id % 3 > 0', 'p'])} ${arms.join(' ')}`,
    isOrdered: false,
  }
}

function joinedValues(random: SeededRandom): RowsQuery {
  const rows = some(random, 1 + random.below(4), () => `(${random.below(5) - 1}, ${random.pick(['true', 'NULL'])})`)
  const kind = random.pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'])
  return {
    head: '',
    outputs: [
      { sql: 'v.a', type: 'bigint' },
      { sql: 'v.b', type: 'boolean' },
      { sql: 'COUNT(*)', type: 'bigint' },
      { sql: 'SUM(x)', type: 'double precision' },
    ],
    tail: `FROM ROWS_ ${kind} (VALUES ${rows.join(', ')}) AS v(a, b) ON v.a = i GROUP BY v.a, v.b`,
    isOrdered: false,
  }
}

function wholeSeries(random: SeededRandom): RowsQuery {
  const step = random.pick(['', ', 2', ', -1', ', -3'])
  return {
    head: '',
    outputs: [
      { sql: 'v', type: 'bigint' },
      { sql: 'COUNT(id)', type: 'bigint' },
      { sql: 'SUM(x)', type: 'double precision' },
    ],
    tail: `FROM generate_series(${random.below(5) - 3}, ${random.below(6)}${step}) AS v LEFT JOIN ROWS_ ON i = v GROUP BY v`,
    isOrdered: false,
  }
}

const STEPS = [
  '1 hour',
  '-90 minutes',
  '1 day',
  '1 month',
  '1 month -1 day',
  '-1 month',
  '2 days 25 hours',
  '-36 hours',
]
const ZONES = ['', `, 'Europe/Berlin'`, `, 'America/New_York'`, `, 'Pacific/Apia'`, `, 'UTC'`]

const BEGINS = ['2026-01-01T00:00Z', '2025-10-24T01:30Z', '2026-03-28T02:30Z', '2024-01-31T23:00Z', '2011-12-27T12:00Z']
const MILLISECONDS_PER_DAY = 86_400_000

/** Over the days on which clocks change, and the ends of months. */
function seriesOfTimes(random: SeededRandom): RowsQuery {
  const step = random.pick(STEPS)
  const begin = random.pick(BEGINS)
  const days = (step.startsWith('-') ? -1 : 1) * random.pick([3, 130])
  const end = new Date(Date.parse(begin) + days * MILLISECONDS_PER_DAY).toISOString()
  const series = `generate_series('${begin}'::timestamptz, '${end}'::timestamptz, INTERVAL '${step}'${random.pick(ZONES)})`
  return {
    head: '',
    outputs: [
      { sql: 't', type: 'timestamptz' },
      { sql: 'ordinal', type: 'bigint' },
      { sql: 'COUNT(id)', type: 'bigint' },
    ],
    tail: `FROM ${series} WITH ORDINALITY AS series(t, ordinal) LEFT JOIN ROWS_ ON z = t GROUP BY t, ordinal`,
    isOrdered: false,
  }
}

const SET_KEYS = ['g', 'i', 'p', 'x', 'i % 2']

function groupingSets(random: SeededRandom): RowsQuery {
  const names = some(random, 1 + random.below(3), () => random.pick(SET_KEYS))
  const list = names.join(', ')
  const sets = some(random, 1 + random.below(3), () => `(${names.filter(() => random.chance(0.5)).join(', ')})`)
  // the keys must all be there
  const groups = random.pick([
    `ROLLUP (${list})`,
    `CUBE (${list})`,
    `GROUPING SETS (${sets.join(', ')}, (${list}))`,
    `${list}, ROLLUP (${random.pick(names)}, n)`,
    `DISTINCT ROLLUP (${list}), CUBE (${random.pick(names)})`,
    `GROUPING SETS (ROLLUP (${list}), (${random.pick(names)}))`,
  ])
  const grouping = `GROUPING(${list})`
  const columns: QueryOutput[] = names.map((sql) => ({
    sql,
    type: sql === 'i % 2' ? 'bigint' : (QUERY_COLUMNS.find(({ name }) => name === sql)?.type ?? 'bigint'),
  }))
  const having = random.chance(0.3) ? ` HAVING COUNT(*) > ${random.below(3)} OR ${grouping} > 0` : ''
  const order = random.chance(0.4) ? ` ORDER BY ${grouping}, COUNT(*)` : ''
  return {
    head: random.chance(0.15) ? 'DISTINCT ' : '',
    outputs: [
      ...columns,
      { sql: grouping, type: 'bigint' },
      { sql: 'COUNT(*)', type: 'bigint' },
      { sql: 'SUM(x)', type: 'double precision' },
      ...(random.chance(0.3)
        ? [{ sql: `SUM(COUNT(*)) OVER (PARTITION BY ${grouping})`, type: 'numeric' } as const]
        : []),
    ],
    tail: `FROM ROWS_${random.pick(['', ' WHERE j > 0', ' WHERE id < 0'])} GROUP BY ${groups}${having}${order}`,
    isOrdered: false,
  }
}

function limit(random: SeededRandom): string {
  return random.chance(0.3) ? ` LIMIT ${random.below(5)} OFFSET ${random.below(3)}` : ''
}
