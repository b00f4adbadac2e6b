/**
 * Owns the property that a rollup over cast fields is the same query in PostgreSQL and in DuckDB over the raw events. Records that die are
 * left out there, since one of them would end the whole statement.
 */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { PGlite } from '@electric-sql/pglite'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import type { Coverage } from './coverage.ts'
import { deviationIn } from './deviations.ts'
import { RECORD_COLUMN } from './dialect-lists.ts'
import type { Dialect } from './dialect.ts'
import { DUCKDB } from './duckdb-dialect.ts'
import { POSTGRES_FUNCTIONS, POSTGRESQL } from './postgres-dialect.ts'
import { plan, type LeafBench } from './leaf-run.ts'
import { evaluateRollup, type NaiveAnswer } from './naive-evaluator.ts'
import { printGrouping } from './grouping-style.ts'
import type { SourceRecord } from './naive-expressions.ts'
import { decimalOfText } from './naive-numbers.ts'
import { quoteText } from './print-syntax.ts'
import type { Property } from './property-run.ts'
import { printRollup, randomRollup, type SqlCase } from './random-case.ts'
import { printJson } from './random-values.ts'
import { regroup } from './regroup.ts'
import { smallerCases } from './smaller.ts'
import { expectEqual, showCase } from './split-property.ts'
import { mapChildren, type Node } from './syntax.ts'
import {
  Day,
  Json,
  keyOf,
  Local,
  Span,
  Time,
  type JsonArray,
  type JsonNode,
  type JsonObject,
  type Value,
} from './value.ts'

export interface EngineCase extends SqlCase {
  readonly dialect: Dialect
}

/** Runs statements of one dialect; cells come as text. */
export interface Engine {
  readonly dialect: Dialect
  run(statements: readonly string[], query: string): Promise<(string | null)[][]>
  close(): Promise<void>
}

export async function openPostgres(): Promise<Engine> {
  const database = await PGlite.create()
  await database.exec([`SET timezone = 'UTC'`, ...POSTGRES_FUNCTIONS].join(';'))
  return {
    dialect: POSTGRESQL,
    run: async (statements, query) => {
      for (const statement of statements) await database.exec(statement)
      const { rows } = await database.query<(string | null)[]>(query, [], { rowMode: 'array' })
      return rows
    },
    close: () => database.close(),
  }
}

export async function openDuck(): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection: DuckDBConnection = await instance.connect()
  // it makes a comparison with date_trunc false where it is NULL
  await connection.run(`SET disabled_optimizers = 'expression_rewriter'`)
  return {
    dialect: DUCKDB,
    run: async (statements, query) => {
      for (const statement of statements) await connection.run(statement)
      const rows = (await connection.runAndReadAll(query)).getRows()
      return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))))
    },
    close: async () => connection.closeSync(),
  }
}

/** How often an engine was asked, and what of it was skipped. */
export interface EngineFigures {
  asked: number
  /** Of those asked, an error in both. */
  failing: number
  /** An error of HAVING here that the engine has not: it doesn't look at that side. */
  unshared: number
  /** The engine refused what has no error here: it evaluates what isn't needed, or folds constants. */
  refused: number
  /** They differ as docs/SQL.md says, by its rows. */
  readonly deviating: Record<string, number>
}

export function enginesProperty(
  bench: LeafBench,
  engine: Engine,
  coverage: Coverage,
  figures: EngineFigures,
): Property<EngineCase> {
  return {
    name: `a rollup over cast fields is the query of ${engine.dialect.name}`,
    make: (random) => randomEngineCase(random, engine.dialect),
    check: (sample) => checkEngine(bench, engine, coverage, figures, sample),
    smaller: function* (sample) {
      for (const smaller of smallerCases(sample)) yield { ...smaller, dialect: sample.dialect }
    },
    show: (sample) => `${showCase(sample)}\n${engineQuery(sample)}`,
  }
}

const RECORDS_MAX = 30
const VALUES_MAX = 6
const NULL_CHANCE = 0.12

function randomEngineCase(random: SeededRandom, dialect: Dialect): EngineCase {
  const rollup = randomRollup(random, [], dialect)
  const pools = dialect.fields.map(({ name, make }) => ({
    name,
    values: Array.from({ length: 1 + random.below(VALUES_MAX) }, () => make(random)),
  }))
  const records = Array.from({ length: random.below(RECORDS_MAX + 1) }, (_, offset): SourceRecord => {
    const value: JsonObject = {
      members: pools.map(({ name, values }) => [name, random.chance(NULL_CHANCE) ? null : random.pick(values)]),
    }
    return { partition: 0, offset, timestampMs: -1, key: null, value, text: printJson(value) }
  })
  return { rollup, groupStyle: 'expression', records, dialect }
}

function engineQuery({ rollup, dialect }: EngineCase, outputs = rollup.outputs): string {
  const { groups, grouping = 'plain', where, having } = rollup
  const filter = where === null ? '' : ` WHERE ${dialect.print(where)}`
  // under GROUPING SETS PostgreSQL takes a grouping expression that it folds to a constant for one in all sets: OFFSET keeps them columns
  const columns = groups.map((group, index) => `${dialect.print(group)} AS g${index}`)
  const [from, over, items] =
    grouping === 'plain'
      ? [`events${filter}`, (node: Node) => node, groups.map((group) => dialect.print(group))]
      : [
          `(SELECT *, ${columns.join(', ')} FROM events${filter} OFFSET 0) AS events`,
          (node: Node) => groupsAsColumns(regroup(node, groups)),
          groups.map((_, index) => `g${index}`),
        ]
  return [
    `SELECT ${outputs.map(({ name, node }) => `${dialect.printOutput(over(node))} AS ${name}`).join(', ')} FROM ${from}`,
    ...(groups.length === 0 ? [] : [`GROUP BY ${printGrouping(grouping, items)}`]),
    ...(having === null ? [] : [`HAVING ${dialect.print(over(having))}`]),
  ].join(' ')
}

function groupsAsColumns(node: Node): Node {
  if (node.kind === 'aggregate') return node
  return node.kind === 'group'
    ? { ...node, expression: { kind: 'field', type: 'any', path: [`g${node.index}`] } }
    : mapChildren(node, groupsAsColumns)
}

async function checkEngine(
  bench: LeafBench,
  engine: Engine,
  coverage: Coverage,
  figures: EngineFigures,
  sample: EngineCase,
): Promise<void> {
  const { rollup, records } = sample
  const rollupPlan = plan(printRollup(sample))
  coverage.add([rollupPlan])
  const expected = evaluateRollup(rollup, records)
  const answer = bench.withRollup(rollupPlan, records, 'whole', { onError: rollup.onError }, (name) =>
    bench.query(`SELECT * FROM ${name}`),
  )
  expectEqual(
    answer.lines.toSorted(),
    expected.rows.map(({ text }) => text).toSorted(),
    'the answer, against the naive evaluator',
  )
  figures.asked++
  await compareWithEngine(engine, figures, sample, expected)
}

async function compareWithEngine(
  engine: Engine,
  figures: EngineFigures,
  sample: EngineCase,
  expected: NaiveAnswer,
): Promise<void> {
  const dead = new Set(expected.deadLetters.map(({ offset }) => offset))
  const living = sample.records.filter(({ offset }) => !dead.has(offset))
  // an error of a cell ends the engine's statement: the other outputs are asked for
  const failing = new Set(expected.rows.flatMap(({ errors }) => errors.map((error) => error.split(' ')[0])))
  const isAsked = sample.rollup.outputs.map(({ name }) => !failing.has(name))
  const outputs = sample.rollup.outputs.filter((_, index) => isAsked[index])
  const isFailing = expected.havingErrors.length > 0
  let rows: (string | null)[][]
  try {
    rows = await engine.run(eventStatements(engine.dialect, living), engineQuery(sample, outputs))
  } catch (error) {
    if (!(error instanceof Error) || !MAY_REFUSE.test(error.message)) throw error
    if (isFailing) figures.failing++
    else figures.refused++
    return
  }
  if (isFailing) {
    figures.unshared++
    return
  }
  const shown = rows.map((row) =>
    row.map((cell, index) => keyOf(toValue(cell, outputs[index]?.node.type as ScalarType))).join(' | '),
  )
  const wanted = expected.rows.map(({ values }) =>
    values
      .filter((_, index) => isAsked[index])
      .map(keyOf)
      .join(' | '),
  )
  try {
    expectEqual(wanted.toSorted(), shown.toSorted(), `the naive evaluator, against ${engine.dialect.name}`)
  } catch (error) {
    const { groups, where, having } = sample.rollup
    const nodes = [...groups, ...outputs.map(({ node }) => node), where, having].filter((node) => node !== null)
    const deviation = engine.dialect.name === 'PostgreSQL' ? deviationIn(nodes) : undefined
    if (deviation === undefined) throw error
    figures.deviating[deviation] = (figures.deviating[deviation] ?? 0) + 1
  }
}

/** Errors of values that aren't needed here, since AND, CASE and FILTER stop early; DuckDB also rewrites NOT before it looks for groups. */
export const MAY_REFUSE =
  /must appear in the GROUP BY|out of range|overflow|underflow|division by zero|invalid input|square root|logarithm|power|raised to|input is out of range|count must be|bound|conversion error|could not convert/i

function eventStatements(dialect: Dialect, records: readonly SourceRecord[]): string[] {
  const isDuck = dialect.name === 'DuckDB'
  const columns = dialect.fields.map(({ name, column, type }) => {
    if (isDuck && type === 'timestamptz') return `${name} timestamp`
    return `${name} ${column}`
  })
  const rows = records.map(({ value, offset }) => {
    const members = new Map((value as JsonObject).members)
    return `(${[...dialect.fields.map(({ name }) => cellText(members.get(name))), offset].join(', ')})`
  })
  return [
    'DROP TABLE IF EXISTS events',
    `CREATE TABLE events (${[...columns, `${RECORD_COLUMN} bigint`].join(', ')})`,
    ...(rows.length === 0 ? [] : [`INSERT INTO events VALUES ${rows.join(', ')}`]),
  ]
}

function cellText(value: JsonObject['members'][number][1] | undefined): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'boolean') return String(value)
  if ('text' in value) return quoteText(value.text)
  return 'number' in value ? quoteText(value.number) : 'NULL'
}

/** An engine's text as the value that it stands for. */
export function toValue(cell: string | null, type: ScalarType): Value {
  if (cell === null) return null
  switch (type) {
    case 'boolean':
      return cell === 'true' || cell === 't'
    case 'timestamptz':
      return new Time(BigInt(cell.replace(/\.0+$/, '')))
    case 'timestamp':
      return new Local(BigInt(cell.replace(/\.0+$/, '')))
    case 'date':
      return new Day(Number(cell))
    case 'interval': {
      const [months, days, micros = '0'] = cell.split(' ')
      return new Span(Number(months), Number(days), BigInt(micros))
    }
    case 'double precision':
      return cell === 'inf' ? Infinity : cell === '-inf' ? -Infinity : cell === 'nan' ? NaN : Number(cell) + 0
    case 'text':
      return cell
    case 'any':
      return new Json(readJson(cell))
    default:
      return decimalOfText(cell)
  }
}

/** An array's or object's text, its numbers as they are written. */
function readJson(text: string): JsonArray | JsonObject {
  const written = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? { number: context?.source ?? String(value) } : value,
  ) as unknown
  return toNode(written) as JsonArray | JsonObject
}

function toNode(value: unknown): JsonNode {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return { text: isoDate(value) }
  if (Array.isArray(value)) return { elements: value.map(toNode) }
  const members = Object.entries(value as object)
  if ('number' in (value as object)) return value as { number: string }
  return { members: members.map(([key, one]) => [key, toNode(one)]) }
}

/** A date inside JSON, whose year the engine writes as people do, with more digits than four or before Christ. */
function isoDate(text: string): string {
  const [, year = '', rest = '', era = ''] = /^(\d{4,})(-\d\d-\d\d(?:T.*?)?)( BC)?$/.exec(text) ?? []
  if (era !== '') {
    const before = Number(year) - 1
    return before === 0 ? `0000${rest}` : `-${String(before).padStart(6, '0')}${rest}`
  }
  return year.length > 4 ? `+${year.padStart(6, '0')}${rest}` : text
}
