/**
 * Owns the property that a query over rollups is PostgreSQL's over tables of their rows: the same rows, in the same order where one is asked
 * for, and an error where it has one.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { toTableStatements } from './engine-table.ts'
import { MAY_REFUSE, type Engine, type EngineFigures, toValue } from './engines-property.ts'
import { POSTGRESQL, postgresOutput } from './postgres-dialect.ts'
import { plan, type LeafBench } from './leaf-run.ts'
import type { SourceRecord } from './naive-expressions.ts'
import { printQuery, rollupOf } from './print-query.ts'
import { printNode, type PrintLeaf } from './print-syntax.ts'
import type { Property } from './property-run.ts'
import { randomQuery, TABLES, type RandomQuery, type Select } from './random-query.ts'
import { printJson } from './random-values.ts'
import { smallerLists, smallerNodes } from './smaller.ts'
import { expectEqual } from './split-property.ts'
import type { Node } from './syntax.ts'
import { parseJsonValue, type JsonObject, type JsonValue } from '../support/json-value.ts'
import { showValue, type JsonObject as RecordObject } from './value.ts'

export interface QueryCase {
  readonly query: RandomQuery
  /** Of each table. */
  readonly records: readonly (readonly SourceRecord[])[]
}

const RECORDS_MAX = 12
const VALUES_MAX = 5
const NULL_CHANCE = 0.1

export function queriesProperty(bench: LeafBench, engine: Engine, figures: EngineFigures): Property<QueryCase> {
  return {
    name: `a query over rollups is the query of ${engine.dialect.name} over tables of their rows`,
    make: (random) => ({ query: randomQuery(random), records: TABLES.map(() => randomRecords(random)) }),
    check: (sample) => checkQuery(bench, engine, figures, sample),
    smaller: smallerCases,
    show: ({ query, records }) =>
      [
        printOurs(query, ['r0', 'r1']),
        printTheirs(query, ['r0', 'r1']),
        ...records.flatMap((list, table) => [`r${table}: ${rollupOf(table)}`, ...list.map(({ text }) => `  ${text}`)]),
      ].join('\n'),
  }
}

function randomRecords(random: SeededRandom): SourceRecord[] {
  const pools = POSTGRESQL.fields.map(({ name, make }) => ({
    name,
    values: Array.from({ length: 1 + random.below(VALUES_MAX) }, () => make(random)),
  }))
  return Array.from({ length: random.below(RECORDS_MAX + 1) }, (_, offset) => {
    const value: RecordObject = {
      members: pools.map(({ name, values }) => [name, random.chance(NULL_CHANCE) ? null : random.pick(values)]),
    }
    return { partition: 0, offset, timestampMs: -1, key: null, value, text: printJson(value) }
  })
}

function printOurs(query: RandomQuery, names: readonly string[]): string {
  const leaf: PrintLeaf = (field) => (field.kind === 'field' ? String(field.path[0]) : field.name)
  return printQuery(query, { names, print: (node) => printNode(node, leaf), printOutput: (text) => text, fence: '' })
}

function printTheirs(query: RandomQuery, names: readonly string[]): string {
  return printQuery(query, {
    names,
    print: POSTGRESQL.print,
    printOutput: (text, { type }) => postgresOutput(text, type),
    fence: ' OFFSET 0',
  })
}

async function checkQuery(
  bench: LeafBench,
  engine: Engine,
  figures: EngineFigures,
  { query, records }: QueryCase,
): Promise<void> {
  const options = { onError: 'dead_letter' } as const
  const [first = [], second = []] = records
  const { ours, tables } = bench.withRollup(plan(rollupOf(0)), first, 'whole', options, (left) =>
    bench.withRollup(plan(rollupOf(1)), second, 'whole', options, (right) => ({
      ours: bench.query(printOurs(query, [left, right])),
      tables: [left, right].map((name, table) =>
        toStatements(`r${table}`, table, bench.query(`SELECT * FROM ${name}`).lines),
      ),
    })),
  )
  const types = (query.selects[0]?.outputs ?? []).map(({ type }) => type)
  figures.asked++
  let rows: (string | null)[][]
  try {
    rows = await engine.run(tables.flat(), printTheirs(query, ['r0', 'r1']))
  } catch (error) {
    if (!(error instanceof Error) || !MAY_REFUSE.test(error.message)) throw error
    if (ours.errors.length > 0) figures.failing++
    else figures.refused++
    return
  }
  if (ours.errors.length > 0 && (ours.errors.every(({ column }) => column === 'WHERE') || isOfOneSide(query, rows))) {
    figures.unshared++
    return
  }
  const shown = rows.map((row) => showRow(row, types))
  const isOrdered = query.order !== null
  const sorted = (lines: readonly string[]): readonly string[] => (isOrdered ? lines : lines.toSorted())
  expectEqual(ours.errors, [], `errors of cells, which ${engine.dialect.name} has not`)
  const [answer, expected] = [sorted(ours.lines), sorted(shown)]
  expectEqual(answer, expected, `the answer, against ${engine.dialect.name}`)
}

/**
 * An engine may look at another condition first, and then needs no value of the one that fails here (WHERE); and of two sides that have nothing in
 * common, or of which the first has no rows, it may read the other first, and then needs no row of the failing one.
 */
function isOfOneSide({ selects, operation }: RandomQuery, rows: readonly unknown[]): boolean {
  return selects.length > 1 && rows.length === 0 && (operation === 'INTERSECT' || operation === 'EXCEPT')
}

function showRow(row: readonly (string | null)[], types: readonly ScalarType[]): string {
  const cells = row.map((cell, index) => `"c${index}":${showValue(toValue(cell, types[index] as ScalarType))}`)
  return `{${cells.join(',')}}`
}

/** A table of the rollup's rows, as rollupd answers them. */
function toStatements(name: string, table: number, lines: readonly string[]): string[] {
  const columns = TABLES[table] ?? []
  const rows = lines.map((line) => {
    const bytes = Buffer.from(line)
    const cells = parseJsonValue(bytes, 0, bytes.length) as JsonObject
    return columns.map(({ name: column }) => cellText((cells.get(column) ?? null) as Parameters<typeof cellText>[0]))
  })
  return toTableStatements(name, columns, rows)
}

function cellText(value: Exclude<JsonValue, readonly JsonValue[] | JsonObject>): string | null {
  return value === null ? null : String(value)
}

function* smallerCases(sample: QueryCase): Generator<QueryCase> {
  const { query, records } = sample
  for (const table of records.keys()) {
    for (const list of smallerLists(records[table] ?? [])) yield { ...sample, records: records.with(table, list) }
  }
  for (const smaller of smallerQueries(query)) yield { ...sample, query: smaller }
}

function* smallerQueries(query: RandomQuery): Generator<RandomQuery> {
  const { selects, order, limit, offset } = query
  if (selects.length > 1) for (const select of selects) yield { ...query, selects: [select] }
  if (offset !== null) yield { ...query, offset: null }
  if (limit !== null) yield { ...query, limit: null }
  if (order !== null && limit === null && offset === null) yield { ...query, order: null }
  const [first] = selects
  if (first !== undefined && first.outputs.length > 1) {
    for (const index of first.outputs.keys()) {
      const without = <T>(list: readonly T[]): T[] => list.filter((_, other) => other !== index)
      yield {
        ...query,
        selects: selects.map((select) => ({ ...select, outputs: without(select.outputs) })),
        order: order === null ? null : without(order),
      }
    }
  }
  for (const [index, select] of selects.entries()) {
    for (const smaller of smallerSelects(select)) yield { ...query, selects: selects.with(index, smaller) }
  }
}

function* smallerSelects(select: Select): Generator<Select> {
  const { source, where, existence, having, outputs, groups } = select
  if (where !== null) yield { ...select, where: null }
  if (existence !== null) yield { ...select, existence: null }
  if (having !== null) yield { ...select, having: null }
  if (select.distinct) yield { ...select, distinct: false }
  if (source.kind === 'subquery' || source.kind === 'with')
    yield { ...select, source: { kind: 'table', table: source.table } }
  if (source.kind === 'join' && source.also !== null) yield { ...select, source: { ...source, also: null } }
  const smaller = (node: Node): Iterable<Node> => smallerNodes(node, true)
  if (where !== null) for (const node of smaller(where)) yield { ...select, where: node }
  if (having !== null) for (const node of smaller(having)) yield { ...select, having: node }
  if (existence !== null)
    for (const node of smaller(existence.where)) yield { ...select, existence: { ...existence, where: node } }
  for (const [index, output] of outputs.entries())
    for (const node of smaller(output)) yield { ...select, outputs: outputs.with(index, node) }
  if (groups !== null && groups.length === 0) return
}
