/**
 * Owns the property that a query over a rollup's rows is the same text's answer in PostgreSQL over a table of these rows: window
 * functions and frames, and the forms that SQLite doesn't have.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { toTableStatements } from './engine-table.ts'
import { toValue, type Engine, type EngineFigures } from './engines-property.ts'
import { plan, type LeafBench } from './leaf-run.ts'
import type { SourceRecord } from './naive-expressions.ts'
import { postgresOutput } from './postgres-dialect.ts'
import type { Property } from './property-run.ts'
import { printRowsQuery, randomRowsQuery, type RowsQuery } from './random-rows-query.ts'
import { printJson } from './random-values.ts'
import { QUERY_COLUMNS } from './random-windows.ts'
import { smallerLists } from './smaller.ts'
import { expectEqual } from './split-property.ts'
import { keyOf, type JsonObject } from './value.ts'

/** Texts of the cells, in the order of QUERY_COLUMNS. */
type Row = readonly (string | null)[]

export interface RowsCase {
  readonly query: RowsQuery
  readonly rows: readonly Row[]
}

export function rowsProperty(bench: LeafBench, postgres: Engine, figures: EngineFigures): Property<RowsCase> {
  return {
    name: 'a query over rows is the query of PostgreSQL',
    make: (random) => ({ query: randomRowsQuery(random), rows: randomRows(random) }),
    check: (sample) => checkQuery(bench, postgres, figures, sample),
    smaller: function* (sample) {
      for (const rows of smallerLists(sample.rows)) yield { ...sample, rows }
      const { outputs } = sample.query
      for (const kept of outputs.length > 1 ? outputs : [])
        yield { ...sample, query: { ...sample.query, outputs: [kept] } }
    },
    show: ({ query, rows }) => `${printRowsQuery(query, 'rows')}\n${rows.map((row) => row.join(' | ')).join('\n')}`,
  }
}

const ROWS_MAX = 25
const NULL_CHANCE = 0.15

function randomRows(random: SeededRandom): Row[] {
  return Array.from({ length: random.below(ROWS_MAX + 1) }, () =>
    QUERY_COLUMNS.map(({ name, type }) => (random.chance(NULL_CHANCE) ? null : randomCell(random, name, type))),
  )
}

const WIDE = ['9223372036854775807', '-9223372036854775808', '9007199254740993']
const MONTH_ENDS = ['2026-01-31T00:00:00Z', '2026-02-28T00:00:00Z', '2026-02-28T01:00:00Z', '2026-03-31T00:00:00Z']
const WORDS = ['', 'a', 'b', 'B', 'ä', '10', '9']
const DECIMALS = ['0.1', '0.2', '-3', '10', '9', '123456789012345678901234567890.5']

function randomCell(random: SeededRandom, name: string, type: ScalarType): string {
  switch (type) {
    case 'bigint':
      return name === 'j' && random.chance(0.1) ? random.pick(WIDE) : String(random.below(6) - 2)
    case 'double precision':
      return String((random.below(33) - 16) / 8)
    case 'numeric':
      return random.pick(DECIMALS)
    case 'boolean':
      return String(random.chance(0.5))
    case 'timestamptz':
      if (random.chance(0.3)) return random.pick(MONTH_ENDS)
      return `2026-01-0${1 + random.below(3)}T0${random.below(3)}:00:00Z`
    default:
      return random.pick(name === 'g' ? ['a', 'b', 'c'] : WORDS)
  }
}

const ROLLUP = `SELECT id::bigint AS id, ${QUERY_COLUMNS.map(({ name, type }) => `${name}::${type} AS ${name}`).join(', ')} FROM _input GROUP BY ${QUERY_COLUMNS.map((_, index) => index + 1).join(', ')}, ${QUERY_COLUMNS.length + 1}`

async function checkQuery(
  bench: LeafBench,
  postgres: Engine,
  figures: EngineFigures,
  { query, rows }: RowsCase,
): Promise<void> {
  figures.asked++
  const types = query.outputs.map(({ type }) => type)
  const { lines, errors } = bench.withRollup(
    plan(ROLLUP),
    rows.map(toRecord),
    'whole',
    { onError: 'dead_letter' },
    (name) => bench.query(printRowsQuery(query, name)),
  )
  // a window over the limits of bigint: an error here, never a wrong number
  if (errors.some(({ message }) => message.includes('limits of 64 bits'))) {
    figures.unshared++
    return
  }
  const cells = query.outputs.map((_, index) => postgresOutput(`o${index}`, types[index] as ScalarType)).join(', ')
  const answer = await postgres.run(tableOf(rows), `SELECT ${cells} FROM (${printRowsQuery(query, 'rows')}) AS answer`)
  const shown = lines.map((line) => showCells(readCells(line, types), types))
  const wanted = answer.map((row) => showCells(row, types))
  const inOrder = (list: readonly string[]): readonly string[] => (query.isOrdered ? list : list.toSorted())
  expectEqual(inOrder(shown), inOrder(wanted), `the answer, against ${postgres.dialect.name}`)
}

function showCells(cells: readonly (string | null)[], types: readonly ScalarType[]): string {
  return cells.map((cell, index) => keyOf(toValue(cell, types[index] as ScalarType))).join(' | ')
}

function toRecord(row: Row, offset: number): SourceRecord {
  const value: JsonObject = {
    members: [
      ['id', { number: String(offset) }],
      ...QUERY_COLUMNS.map(
        ({ name }, index) => [name, row[index] === null ? null : { text: row[index] as string }] as const,
      ),
    ],
  }
  return { partition: 0, offset, timestampMs: -1, key: null, value, text: printJson(value) }
}

function tableOf(rows: readonly Row[]): string[] {
  const columns = [{ name: 'id', type: 'bigint' } as const, ...QUERY_COLUMNS]
  return toTableStatements(
    'rows',
    columns,
    rows.map((row, id) => [String(id), ...row]),
  )
}

/** A row of the answer with the digits of its numbers. */
function readCells(line: string, types: readonly ScalarType[]): (string | null)[] {
  const cells = JSON.parse(line, keepDigits as (key: string, value: unknown) => unknown) as Record<
    string,
    string | boolean | null
  >
  return types.map((type, index) => {
    const cell = cells[`o${index}`]
    if (cell === undefined || cell === null) return null
    return type === 'timestamptz' ? String(BigInt(Date.parse(String(cell))) * 1_000n) : String(cell)
  })
}

/** The typings know revivers of two arguments only. */
function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' ? source : value
}
