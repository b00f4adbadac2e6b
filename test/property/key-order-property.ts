/**
 * Owns the property that ORDER BY over a grouping column is PostgreSQL's: numbers by value, texts by bytes, nulls last, kinds and
 * what is inside arrays and objects as jsonb has them.
 */
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { plan, type LeafBench } from './leaf-run.ts'
import type { Engine } from './engines-property.ts'
import {
  decimalText,
  fieldValue,
  Json,
  keyOf,
  RowError,
  showJson,
  showValue,
  Time,
  toDecimal,
  type JsonNode,
  type Value,
} from './value.ts'
import { NAIVE_FUNCTIONS } from './naive-functions.ts'
import type { SourceRecord } from './naive-expressions.ts'
import { quoteText } from './print-syntax.ts'
import type { Property } from './property-run.ts'
import { printJson, randomValue, type Flavour } from './random-values.ts'
import { smallerLists } from './smaller.ts'
import { expectEqual } from './split-property.ts'

/** How a column of keys is asked for here and there. */
interface Column {
  /** Of the field v, in the rollup. */
  readonly sql: string
  /** FunctionEntry.id of the cast; undefined: the field itself. */
  readonly cast: string | undefined
  readonly flavours: readonly Flavour[]
  readonly engineType: string
}

const NUMBERS: readonly Flavour[] = ['small', 'integer', 'double', 'number']
const COLUMNS: readonly Column[] = [
  { sql: 'v', cast: undefined, flavours: NUMBERS, engineType: 'numeric' },
  { sql: 'v', cast: undefined, flavours: ['word', 'text', 'timeText'], engineType: 'text' },
  {
    sql: 'v',
    cast: undefined,
    flavours: ['mixed', 'array', 'object', 'number', 'text', 'boolean'],
    engineType: 'jsonb',
  },
  { sql: 'v::bigint', cast: 'cast_to_bigint', flavours: NUMBERS, engineType: 'bigint' },
  {
    sql: 'v::double precision',
    cast: 'cast_to_double',
    flavours: [...NUMBERS, 'doubleText'],
    engineType: 'double precision',
  },
  { sql: 'v::boolean', cast: 'cast_to_boolean', flavours: ['boolean', 'booleanText'], engineType: 'boolean' },
  { sql: 'v::text', cast: 'cast_to_text', flavours: ['mixed', 'text', 'word'], engineType: 'text' },
  { sql: 'v::timestamptz', cast: 'cast_to_timestamptz', flavours: ['timeText'], engineType: 'bigint' },
]

export interface OrderCase {
  readonly column: Column
  readonly nodes: readonly JsonNode[]
  readonly descending: boolean
}

export function keyOrderProperty(bench: LeafBench, postgres: Engine): Property<OrderCase> {
  return {
    name: "the order of keys is PostgreSQL's",
    make: randomOrder,
    check: (sample) => checkOrder(bench, postgres, sample),
    smaller: function* (sample) {
      for (const nodes of smallerLists(sample.nodes)) yield { ...sample, nodes }
    },
    show: ({ column, nodes, descending }) =>
      `${column.sql}${descending ? ' DESC' : ''} of ${nodes.map((node) => printJson(node)).join(' ')}`,
  }
}

const VALUES_MAX = 25
const NULL_CHANCE = 0.05

function randomOrder(random: SeededRandom): OrderCase {
  const column = random.pick(COLUMNS)
  const nodes = Array.from({ length: 2 + random.below(VALUES_MAX) }, () =>
    random.chance(NULL_CHANCE) ? null : randomValue(random, random.pick(column.flavours)),
  )
  return { column, nodes, descending: random.chance(0.5) }
}

async function checkOrder(bench: LeafBench, postgres: Engine, { column, nodes, descending }: OrderCase): Promise<void> {
  const records = nodes.map((node, offset): SourceRecord => {
    const value = { members: [['v', node]] as const }
    return { partition: 0, offset, timestampMs: -1, key: null, value, text: printJson(value) }
  })
  const direction = descending ? 'DESC' : 'ASC'
  const rollup = plan(`SELECT ${column.sql} AS k FROM _input GROUP BY 1`)
  const { lines } = bench.withRollup(rollup, records, 'whole', { onError: 'dead_letter' }, (name) =>
    bench.query(`SELECT k FROM ${name} ORDER BY k ${direction}`),
  )
  const values = new Map<string, Value>()
  for (const node of nodes) {
    const value = keyValue(node, column)
    // jsonb puts the empty array before everything, by a slip that it keeps
    if (value === undefined || (value instanceof Json && showJson(value.node) === '[]')) continue
    values.set(keyOf(value), value)
  }
  const list = [...values.values()]
  const rows = list.map((value, index) => `(${index}, ${engineText(value, column)})`)
  const ordered = await postgres.run(
    [
      'DROP TABLE IF EXISTS keys',
      `CREATE TABLE keys (id int, v ${column.engineType})`,
      ...(rows.length === 0 ? [] : [`INSERT INTO keys VALUES ${rows.join(', ')}`]),
    ],
    `SELECT id::text FROM keys ORDER BY v ${direction}`,
  )
  const wanted = ordered.map(([id]) => `{"k":${showValue(list[Number(id)] ?? null)}}`)
  expectEqual(
    lines.filter((line) => line !== '{"k":[]}'),
    wanted,
    `the order, against ${postgres.dialect.name}`,
  )
}

/** Undefined: the record dies. */
function keyValue(node: JsonNode, { cast }: Column): Value | undefined {
  try {
    const field = fieldValue(node)
    const value =
      cast === undefined || field === null
        ? field
        : NAIVE_FUNCTIONS[cast]?.compute([field], { kindMismatch: false }, ['any'])
    if (value === undefined) throw new Error(`no cast ${cast}`)
    keyOf(value)
    return value
  } catch (error) {
    if (error instanceof RowError) return undefined
    throw error
  }
}

function engineText(value: Value, { engineType }: Column): string {
  if (value === null) return 'NULL'
  if (engineType === 'jsonb') return `${quoteText(jsonText(value))}::jsonb`
  if (typeof value === 'number')
    return quoteText(engineType === 'numeric' ? decimalText(toDecimal(value)) : String(value))
  if (value instanceof Time) return String(value.micros)
  return quoteText(typeof value === 'object' ? showValue(value) : String(value))
}

/** Numbers exactly: jsonb holds numerics. */
function jsonText(value: Value): string {
  return typeof value === 'number' ? decimalText(toDecimal(value)) : showValue(value)
}
