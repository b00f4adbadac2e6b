/**
 * Owns random queries over two rollups of declared columns: joins, subqueries, WITH, grouping, DISTINCT, set operations, ORDER BY and LIMIT.
 * The columns' names are disjoint, so that an expression reads the same whatever FROM holds.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { isListOrMap } from './dialect-lists.ts'
import { DIALECT_TYPES, firstField, type Dialect } from './dialect.ts'
import { POSTGRESQL } from './postgres-dialect.ts'
import { RandomExpressions } from './random-expressions.ts'
import { castTo, someNode, type Node } from './syntax.ts'

export interface QueryColumn {
  readonly name: string
  readonly type: ScalarType
  /** Its output in the rollup. */
  readonly output: string
}

/** Of intervals that are equal PostgreSQL shows any: they stand inside expressions alone. */
const SHOWN_TYPES: readonly ScalarType[] = [...DIALECT_TYPES, 'timestamp', 'date']

/** Each groups by its first columns: what they are cast to in the rollup they are in the query. */
export const TABLES: readonly (readonly QueryColumn[])[] = [
  [
    { name: 'i', type: 'bigint', output: 'i::bigint' },
    { name: 's', type: 'text', output: 's::text' },
    { name: 'z', type: 'timestamptz', output: 'z::timestamptz' },
    { name: 'x', type: 'double precision', output: 'MAX(x::double precision)' },
    { name: 'w', type: 'bigint', output: 'MIN(w::bigint)' },
    { name: 'p', type: 'boolean', output: 'BOOL_AND(p::boolean)' },
    { name: 'd', type: 'double precision', output: 'MAX(d::double precision)' },
    { name: 'l', type: 'timestamp', output: 'MAX(l::timestamp)' },
    { name: 'a', type: 'date', output: 'MIN(c::date)' },
    { name: 'v', type: 'interval', output: 'MAX(v::interval)' },
  ],
  [
    { name: 'j', type: 'bigint', output: 'j::bigint' },
    { name: 'u', type: 'text', output: 'u::text' },
    { name: 't', type: 'timestamptz', output: 'z::timestamptz' },
    { name: 'y', type: 'double precision', output: 'MIN(y::double precision)' },
    { name: 'c', type: 'bigint', output: 'COUNT(*)' },
    { name: 'q', type: 'boolean', output: 'BOOL_OR(q::boolean)' },
    { name: 'e', type: 'double precision', output: 'MAX(e::double precision)' },
    { name: 'm', type: 'timestamp', output: 'MIN(l::timestamp)' },
    { name: 'b', type: 'date', output: 'MAX(c::date)' },
    { name: 'k', type: 'interval', output: 'MIN(v::interval)' },
  ],
]
export const GROUPING_COLUMNS = 3
/** Whose sums no engine rounds on the way. */
const EXACT_DOUBLES: ReadonlySet<string> = new Set(['x', 'y'])

export type Source =
  | { readonly kind: 'table' | 'with'; readonly table: number }
  | { readonly kind: 'subquery'; readonly table: number; readonly where: Node | null; readonly limit: number | null }
  | { readonly kind: 'join'; readonly join: Join; readonly on: readonly [string, string]; readonly also: Node | null }
  | { readonly kind: 'cross' }
export type Join = 'JOIN' | 'LEFT JOIN' | 'RIGHT JOIN' | 'FULL JOIN'

/** A row of the other table for which a condition holds, over columns of both. */
export interface Existence {
  readonly negated: boolean
  readonly table: number
  readonly where: Node
}

export interface Select {
  readonly source: Source
  readonly where: Node | null
  readonly existence: Existence | null
  /** Null: no GROUP BY and no aggregates. */
  readonly groups: readonly Node[] | null
  readonly outputs: readonly Node[]
  readonly having: Node | null
  readonly distinct: boolean
}

export interface SortOrder {
  readonly descending: boolean
  /** Where NULLs stand; null: not said. */
  readonly nulls: 'FIRST' | 'LAST' | null
}

export interface RandomQuery {
  readonly selects: readonly Select[]
  /** Between each select and the next. */
  readonly operation: (typeof OPERATIONS)[number]
  /** By all outputs, so that rows that tie are equal; null: no ORDER BY. */
  readonly order: readonly SortOrder[] | null
  readonly limit: number | null
  readonly offset: number | null
}

const OPERATIONS = ['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'] as const
const JOINS: readonly Join[] = ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN']
const DEPTH = 2

export function columnsOf(source: Source): readonly QueryColumn[] {
  return 'table' in source ? (TABLES[source.table] as readonly QueryColumn[]) : TABLES.flat()
}

export function randomQuery(random: SeededRandom): RandomQuery {
  const types = Array.from({ length: 1 + random.below(4) }, () => random.pick(SHOWN_TYPES))
  const count = random.chance(0.25) ? 2 : 1
  const selects = Array.from({ length: count }, () => randomSelect(random, types))
  const isOrdered = random.chance(0.5)
  return {
    selects,
    operation: random.pick(OPERATIONS),
    order: isOrdered ? types.map(() => randomOrder(random)) : null,
    limit: isOrdered && random.chance(0.6) ? random.below(6) : null,
    offset: isOrdered && random.chance(0.2) ? random.below(4) : null,
  }
}

function randomOrder(random: SeededRandom): SortOrder {
  return { descending: random.chance(0.5), nulls: random.pick([null, null, 'FIRST', 'LAST']) }
}

function randomSelect(random: SeededRandom, types: readonly ScalarType[]): Select {
  const source = randomSource(random)
  const columns = columnsOf(source)
  const overRows = expressionsOver(random, columns, undefined)
  const common = {
    source,
    where: random.chance(0.4) ? overRows.condition(DEPTH) : null,
    existence: random.chance(0.15) ? randomExistence(random, source) : null,
    distinct: random.chance(0.2),
  }
  if (random.chance(0.5)) {
    const outputs = types.map((type) => overRows.ofType(type, DEPTH))
    return { ...common, outputs, groups: null, having: null }
  }
  const groups: Node[] = []
  for (let left = random.pick([0, 1, 1, 2]); left > 0; left--) {
    const group = overRows.ofType(random.pick(SHOWN_TYPES), DEPTH)
    // a constant is no grouping value
    if (someNode(group, ({ kind }) => kind === 'field')) groups.push(group)
  }
  const overGroups = expressionsOver(random, columns, groups)
  return {
    ...common,
    groups,
    outputs: types.map((type) => overGroups.ofType(type, DEPTH)),
    having: random.chance(0.3) ? overGroups.condition(DEPTH) : null,
  }
}

function randomSource(random: SeededRandom): Source {
  const table = random.below(TABLES.length)
  switch (random.below(6)) {
    case 0:
      return { kind: 'with', table }
    case 1: {
      const over = expressionsOver(random, TABLES[table] as readonly QueryColumn[], undefined)
      const where = random.chance(0.6) ? over.condition(1) : null
      return { kind: 'subquery', table, where, limit: random.chance(0.4) ? random.below(8) : null }
    }
    case 2:
    case 3: {
      const join = random.pick(JOINS)
      const on = random.pick([
        ['i', 'j'],
        ['s', 'u'],
        ['z', 't'],
        ['p', 'q'],
      ] as const)
      // elsewhere PostgreSQL joins by equality only
      const also =
        join !== 'FULL JOIN' && random.chance(0.4)
          ? expressionsOver(random, TABLES.flat(), undefined).condition(1)
          : null
      return { kind: 'join', join, on, also }
    }
    case 4:
      return random.chance(0.4) ? { kind: 'cross' } : { kind: 'table', table }
    default:
      return { kind: 'table', table }
  }
}

/** Over the table that FROM doesn't read, so that every name is one column. */
function randomExistence(random: SeededRandom, source: Source): Existence | null {
  if (!('table' in source)) return null
  const where = expressionsOver(random, TABLES.flat(), undefined).condition(DEPTH)
  return { negated: random.chance(0.4), table: 1 - source.table, where }
}

function expressionsOver(
  random: SeededRandom,
  columns: readonly QueryColumn[],
  groups: readonly Node[] | undefined,
): RandomExpressions {
  return new RandomExpressions(random, { fields: [], groups, dialect: dialectOf(columns) })
}

/** PostgreSQL's, over these columns. */
function dialectOf(columns: readonly QueryColumn[]): Dialect {
  const names = new Set(columns.map(({ name }) => name))
  const isThere = (node: Node): boolean =>
    !someNode(node, (part) => part.kind === 'field' && !names.has(String(part.path[0])))
  const dialect: Dialect = {
    ...POSTGRESQL,
    fields: columns.map(({ name, type }) => ({ name, type, column: 'text', make: () => null })),
    exactDoubles: columns.flatMap(({ name }) => (EXACT_DOUBLES.has(name) ? [name] : [])),
    // rows of several tables are in no order that both know
    allowsAggregate: (name, args) => !isListOrMap(name) && POSTGRESQL.allowsAggregate(name, args),
    argument: (id, index, random) => {
      const given = POSTGRESQL.argument(id, index, random)
      return given === undefined || isThere(given) ? given : castTo(given.type, firstField(dialect, given.type))
    },
  }
  return dialect
}
