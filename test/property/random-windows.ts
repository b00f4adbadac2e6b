/** Owns random window functions over a table of typed rows: calls, PARTITION BY, ORDER BY and frames. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'

export interface QueryOutput {
  readonly sql: string
  readonly type: ScalarType
}

/** Columns of the table beside `id bigint`. Doubles are eighths, so that no engine rounds their sums. */
export const QUERY_COLUMNS: readonly { readonly name: string; readonly type: ScalarType }[] = [
  { name: 'g', type: 'text' },
  { name: 's', type: 'text' },
  { name: 'i', type: 'bigint' },
  { name: 'j', type: 'bigint' },
  { name: 'x', type: 'double precision' },
  { name: 'n', type: 'numeric' },
  { name: 'p', type: 'boolean' },
  { name: 'z', type: 'timestamptz' },
]

export const KEYS = ['g', 's', 'i', 'j', 'x', 'n', 'p', 'z', 'i % 2', 'x > 0']

export function randomColumn(random: SeededRandom): QueryOutput {
  const { name, type } = random.pick(QUERY_COLUMNS)
  return { sql: name, type }
}

const RANKS = ['rank', 'dense_rank']
const FRACTIONS = ['percent_rank', 'cume_dist']
const AGGREGATES: readonly (readonly [string, ScalarType])[] = [
  ['COUNT(*)', 'bigint'],
  ['COUNT(s)', 'bigint'],
  ['SUM(i)', 'numeric'],
  ['SUM(x)', 'double precision'],
  ['SUM(n)', 'numeric'],
  ['AVG(x)', 'double precision'],
  ['MIN(i)', 'bigint'],
  ['MAX(x)', 'double precision'],
  ['MIN(n)', 'numeric'],
  ['MAX(s)', 'text'],
  ['MIN(z)', 'timestamptz'],
  ['BOOL_AND(p)', 'boolean'],
  ['BIT_XOR(i)', 'bigint'],
]

export function windowOutput(random: SeededRandom, name: string | undefined): QueryOutput {
  if (random.chance(0.5)) {
    const [call, type] = random.pick(AGGREGATES)
    const filter = random.chance(0.2) ? ' FILTER (WHERE j > 0)' : ''
    // peers have one frame, so these don't depend on their order
    const isRange = random.chance(0.4)
    return { sql: `${call}${filter} ${isRange ? `OVER (${rangeWindow(random)})` : overText(random, name)}`, type }
  }
  // what depends on the order of peers needs a window where there are none
  const own = overText(random, name)
  const { sql, type } = randomColumn(random)
  switch (random.below(7)) {
    case 0:
      return { sql: `${random.pick(RANKS)}() OVER (${partition(random)}ORDER BY ${sortKeys(random)})`, type: 'bigint' }
    case 1:
      return {
        sql: `${random.pick(FRACTIONS)}() OVER (${partition(random)}ORDER BY ${sortKeys(random)})`,
        type: 'double precision',
      }
    case 2:
      return { sql: `row_number() ${own}`, type: 'bigint' }
    case 3:
      return { sql: `ntile(${1 + random.below(4)}) ${own}`, type: 'bigint' }
    case 4: {
      const further = random.pick(['', `, ${random.below(4) - 1}`, type === 'bigint' ? ', 2, -7' : ', 0'])
      return { sql: `${random.pick(['lag', 'lead'])}(${sql}${further}) ${own}`, type }
    }
    case 5:
      return { sql: `nth_value(${sql}, ${1 + random.below(3)}) ${own}`, type }
    default:
      return { sql: `${random.pick(['first_value', 'last_value'])}(${sql}) ${own}`, type }
  }
}

function overText(random: SeededRandom, name: string | undefined): string {
  if (name === undefined || random.chance(0.4)) return `OVER (${randomWindow(random, false)})`
  return random.chance(0.5) ? `OVER ${name}` : `OVER (${name} ${frame(random, 'GROUPS')})`
}

function partition(random: SeededRandom): string {
  return random.chance(0.6)
    ? `PARTITION BY ${some(random, 1 + random.below(2), () => random.pick(KEYS)).join(', ')} `
    : ''
}

function sortKeys(random: SeededRandom): string {
  return some(random, 1 + random.below(2), () => `${random.pick(KEYS)}${direction(random)}`).join(', ')
}

export function direction(random: SeededRandom): string {
  return random.pick(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])
}

/** Without peers. */
export function randomWindow(random: SeededRandom, isNamed: boolean): string {
  const order = `ORDER BY ${random.chance(0.7) ? `${sortKeys(random)}, ` : ''}id${direction(random)}`
  return `${partition(random)}${order}${isNamed || random.chance(0.4) ? '' : ` ${frame(random, random.pick(['ROWS', 'GROUPS']))}`}`
}

/** One key, and offsets of its type. */
function rangeWindow(random: SeededRandom): string {
  const [key, offsets] = random.pick([
    ['id', ['0', '1', '4']],
    ['i', ['0', '1', '2']],
    ['j', ['1', '9223372036854775807']],
    ['x', ['0', '0.5', '1.125', '100']],
    ['z', [`INTERVAL '1 month'`, `INTERVAL '1 month -30 days'`, `INTERVAL '1 mon -29 days 2 hours'`, `INTERVAL '0'`]],
    ['z', [`INTERVAL '1 month'`, `INTERVAL '2 months'`, `INTERVAL '1 day'`]],
    ['z', [`INTERVAL '1 hour'`, `INTERVAL '0'`, `INTERVAL '1 day'`, `INTERVAL '25 hours'`]],
  ] as const)
  if (random.chance(0.2)) return `${partition(random)}ORDER BY ${sortKeys(random)} ${frame(random, 'GROUPS')}`
  const within = bounds(random, () => random.pick(offsets))
  // with months none may be excluded
  const excluded = within.includes('mon') ? '' : exclusion(random)
  return `${partition(random)}ORDER BY ${key}${direction(random)} RANGE ${within}${excluded}`
}

function frame(random: SeededRandom, mode: string): string {
  return `${mode} ${bounds(random, () => String(random.below(4)))}${exclusion(random)}`
}

function exclusion(random: SeededRandom): string {
  return random.chance(0.25) ? ` EXCLUDE ${random.pick(['CURRENT ROW', 'GROUP', 'TIES', 'NO OTHERS'])}` : ''
}

/** PostgreSQL's grammar refuses a start behind the end where it can see it. */
function bounds(random: SeededRandom, offset: () => string): string {
  const start = random.below(4)
  const starts = ['UNBOUNDED PRECEDING', `${offset()} PRECEDING`, 'CURRENT ROW', `${offset()} FOLLOWING`]
  const ends = [`${offset()} PRECEDING`, 'CURRENT ROW', `${offset()} FOLLOWING`, 'UNBOUNDED FOLLOWING']
  const first = start === 3 ? 2 : start === 2 ? 1 : 0
  return `BETWEEN ${starts[start]} AND ${ends[first + random.below(ends.length - first)]}`
}

export function some<T>(random: SeededRandom, count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}
