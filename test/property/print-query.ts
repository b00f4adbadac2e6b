/** Owns the SQL text of random queries; expressions are written as rollupd's or as an engine's. */
import {
  columnsOf,
  GROUPING_COLUMNS,
  TABLES,
  type Existence,
  type RandomQuery,
  type Select,
  type SortOrder,
  type Source,
} from './random-query.ts'
import type { Node } from './syntax.ts'

export interface QueryText {
  /** Of the tables. */
  readonly names: readonly string[]
  readonly print: (node: Node) => string
  /** An output where the answer is read from. */
  readonly printOutput: (text: string, node: Node) => string
  /** Ends a subquery whose WHERE comes before that of the query around it; else its errors depend on how an engine orders conditions. */
  readonly fence: string
}

/** The rollup behind a table. */
export function rollupOf(table: number): string {
  const outputs = (TABLES[table] ?? []).map(({ name, output }) => `${output} AS ${name}`)
  const ordinals = Array.from({ length: GROUPING_COLUMNS }, (_, index) => index + 1)
  return `SELECT ${outputs.join(', ')} FROM _input GROUP BY ${ordinals.join(', ')}`
}

/** Outputs are named c0, c1, ... */
export function printQuery(query: RandomQuery, text: QueryText): string {
  const { selects, operation, order, limit, offset } = query
  const body = selects.map((select) => printSelect(select, text)).join(` ${operation} `)
  const withs = selects.flatMap(({ source }) => (source.kind === 'with' ? [source.table] : []))
  const nodes = selects[0]?.outputs ?? []
  const shown = nodes.map((node, index) => `${text.printOutput(`c${index}`, node)} AS c${index}`)
  return [
    ...(withs.length === 0
      ? []
      : [`WITH ${[...new Set(withs)].map((table) => `w${table} AS (SELECT * FROM ${text.names[table]})`).join(', ')}`]),
    `SELECT ${shown.join(', ')} FROM (${body}${tail(order, limit, offset)}) AS answer`,
  ].join(' ')
}

function tail(order: RandomQuery['order'], limit: number | null, offset: number | null): string {
  return [
    ...(order === null ? [] : [` ORDER BY ${order.map(printOrder).join(', ')}`]),
    ...(limit === null ? [] : [` LIMIT ${limit}`]),
    ...(offset === null ? [] : [` OFFSET ${offset}`]),
  ].join('')
}

function printOrder({ descending, nulls }: SortOrder, index: number): string {
  return `${index + 1}${descending ? ' DESC' : ''}${nulls === null ? '' : ` NULLS ${nulls}`}`
}

function printSelect(select: Select, text: QueryText): string {
  const { source, where, existence, groups, outputs, having, distinct } = select
  const conditions = [
    ...(where === null ? [] : [text.print(where)]),
    ...(existence === null ? [] : [printExistence(existence, text)]),
  ]
  return [
    `SELECT ${distinct ? 'DISTINCT ' : ''}${outputs.map((node, index) => `${text.print(node)} AS c${index}`).join(', ')}`,
    `FROM ${printSource(source, text)}`,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`]),
    ...(groups === null || groups.length === 0 ? [] : [`GROUP BY ${groups.map(text.print).join(', ')}`]),
    ...(having === null ? [] : [`HAVING ${text.print(having)}`]),
  ].join(' ')
}

function printExistence({ negated, table, where }: Existence, { names, print }: QueryText): string {
  return `${negated ? 'NOT ' : ''}EXISTS (SELECT 1 AS one FROM ${names[table]} WHERE ${print(where)})`
}

function printSource(source: Source, { names, print, fence }: QueryText): string {
  const [first, second] = names
  switch (source.kind) {
    case 'table':
      return String(names[source.table])
    case 'with':
      return `w${source.table}`
    case 'subquery': {
      const columns = columnsOf(source).map(({ name }) => name)
      const where = source.where === null ? '' : ` WHERE ${print(source.where)}`
      const limit = source.limit === null ? fence : ` ORDER BY ${columns.join(', ')} LIMIT ${source.limit}`
      return `(SELECT ${columns.join(', ')} FROM ${names[source.table]}${where}${limit}) AS sub`
    }
    case 'join': {
      const [left, right] = source.on
      const also = source.also === null ? '' : ` AND ${print(source.also)}`
      return `${first} ${source.join} ${second} ON ${left} = ${right}${also}`
    }
    case 'cross':
      return `${first} CROSS JOIN ${second}`
  }
}
