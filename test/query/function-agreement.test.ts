/**
 * Both evaluators agree: an entry of the function table computes in SQLite what it computes over registers, whether as SQLite's own
 * operator or by a call. Every entry, for every combination of types that it takes, over values at the limits and random ones.
 */
import BetterSqlite3 from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyBytesOf } from '../../src/core/key-bytes.ts'
import { readKeyInto } from '../../src/core/key-reader.ts'
import { Registers, TAG } from '../../src/core/registers.ts'
import type { Cell, ScalarType } from '../../src/core/scalar-type.ts'
import { toLoader, toStorer, TextArena } from '../../src/query/cell-codec.ts'
import { ConditionPrinter } from '../../src/query/condition-printer.ts'
import { ExpressionPrinter } from '../../src/query/expression-printer.ts'
import { nowhere } from '../../src/query/guard-place.ts'
import { QuerySession } from '../../src/query/query-session.ts'
import { SqliteFunctions } from '../../src/query/sqlite-functions.ts'
import { BoundDoubles } from '../../src/query/sqlite-text.ts'
import type { Expression, Literal, SqlFragment } from '../../src/sql/expression.ts'
import type { FunctionEntry } from '../../src/sql/function-entry.ts'
import { FUNCTIONS } from '../../src/sql/function-table.ts'
import { loadLiteral } from '../../src/sql/literal-value.ts'

const TYPES = ['boolean', 'bigint', 'double precision', 'text', 'timestamptz', 'any'] as const
type TestedType = (typeof TYPES)[number]
const RUNS = Number(process.env['AGREEMENT_RUNS'] ?? 40)
/** More arguments than a call has registers of its own. */
const LONG = 7
const OUT = LONG

interface Value {
  readonly kind: 'null' | 'boolean' | 'integer' | 'double' | 'text' | 'time' | 'json'
  readonly value: unknown
}

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -100n, max: 100n }),
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n, 0n),
)
const doubles = fc.oneof(
  fc.double(),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0.1, 1e300, -1e-300, 2 ** 63, 0.5, 1.5, -2.5),
)
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
  fc.constantFrom(
    '',
    '12',
    '-1.5',
    'true',
    'minute',
    '2026-01-01T00:00:00Z',
    'a%b_c',
    '%',
    'hour',
    ' x ',
    'Straße',
    'İ',
  ),
)
const times = fc.bigInt({ min: -(10n ** 15n), max: 4n * 10n ** 15n })
const json = fc.constantFrom('[1,2,"x"]', '{"a":1,"b":null}', '[]', '{"a":{"b":[true]}}')

const VALUES: Readonly<Record<Exclude<TestedType, 'any'>, fc.Arbitrary<Value>>> = {
  boolean: fc.boolean().map((value) => ({ kind: 'boolean', value })),
  bigint: integers.map((value) => ({ kind: 'integer', value })),
  'double precision': doubles.map((value) => ({ kind: 'double', value: Object.is(value, -0) ? 0 : value })),
  text: texts.map((value) => ({ kind: 'text', value })),
  timestamptz: times.map((value) => ({ kind: 'time', value })),
}

function valueOf(type: TestedType): fc.Arbitrary<Value> {
  const nothing: Value = { kind: 'null', value: null }
  if (type !== 'any')
    return fc.oneof({ weight: 8, arbitrary: VALUES[type] }, { weight: 1, arbitrary: fc.constant(nothing) })
  const { timestamptz: _, ...kinds } = VALUES
  return fc.oneof(
    ...Object.values(kinds),
    json.map((value): Value => ({ kind: 'json', value })),
    fc.constant(nothing),
  )
}

function load(r: Registers, index: number, { kind, value }: Value): void {
  if (kind === 'null') r.setNull(index)
  else if (kind === 'boolean') r.setBoolean(index, value as boolean)
  else if (kind === 'integer') r.setBigInteger(index, value as bigint)
  else if (kind === 'double') r.setDouble(index, value as number)
  else if (kind === 'time') r.setBigTimestamp(index, value as bigint)
  else {
    const bytes = Buffer.from(value as string)
    if (kind === 'text') r.setText(index, bytes, 0, bytes.length)
    else r.setJson(index, bytes, 0, bytes.length)
  }
}

function combinations(entry: FunctionEntry): TestedType[][] {
  const found: TestedType[][] = []
  const visit = (types: TestedType[]): void => {
    if (types.length > 0 && entry.resolve(types) !== undefined) found.push(types)
    const most = entry.form === 'operator' ? 2 : entry.id === 'width_bucket' ? 4 : 3
    if (types.length < most) for (const type of TYPES) visit([...types, type])
  }
  visit([])
  if (entry.variadic === true) {
    for (const type of TYPES) {
      const long = Array.from({ length: LONG }, (_, index) => (index === LONG - 2 ? 'any' : type))
      if (entry.resolve(long) !== undefined) found.push(long)
    }
  }
  return found
}

/** Arguments that an entry wants to know before (units, patterns): texts that it may take. */
function literalsFor(entry: FunctionEntry, types: readonly TestedType[]): (Literal | undefined)[] | undefined {
  const candidates = ['hour', 'UTC', 'bigint', 'a%', '1']
  const literal = (value: string): Literal => ({ kind: 'literal', type: 'text', value, position: 1 })
  const places = types.map((type) => (type === 'text' ? [undefined, ...candidates.map(literal)] : [undefined]))
  const options = places.reduce<(Literal | undefined)[][]>(
    (lists, place) => lists.flatMap((list) => place.map((item) => [...list, item])),
    [[]],
  )
  return options.find((option) => {
    try {
      entry.specialize?.(option.map((item, index) => item ?? fragment(index, types[index] as ScalarType)))
      return true
    } catch {
      return false
    }
  })
}

function fragment(index: number, type: ScalarType): SqlFragment {
  return { kind: 'fragment', sql: `@a${index}`, type, canFail: false, position: 0 }
}

class Agreement {
  readonly connection = new BetterSqlite3(':memory:')
  readonly session = new QuerySession()
  readonly functions = new SqliteFunctions(this.connection, this.session)
  readonly printer = new ExpressionPrinter({
    functions: this.functions,
    doubles: new BoundDoubles(),
    paths: new Map(),
    probes: [],
  })
  readonly conditions = new ConditionPrinter(this.printer)
}

const agreement = new Agreement()

/** What the cell of SQLite means, as key bytes: errors by their text. */
function shown(cell: Cell, type: ScalarType): string {
  const r = new Registers(1)
  toLoader(type)(r, 0, cell, new TextArena())
  return Buffer.from(keyBytesOf(r, 0)).toString('latin1')
}

function check(entry: FunctionEntry, types: readonly TestedType[]): void {
  const literals = literalsFor(entry, types)
  const type = entry.resolve(types)
  if (literals === undefined || type === undefined) return
  const args: Expression[] = types.map((argType, index) => literals[index] ?? fragment(index, argType))
  const call: Expression = { kind: 'call', function: entry.id, args, type, position: 0 }
  const evaluate = entry.specialize?.(args) ?? entry.evaluate
  agreement.functions.startQuery()
  const value = agreement.printer.print(call)
  const condition = type === 'boolean' ? agreement.conditions.print(call, nowhere('test')) : 'NULL'
  const statement = agreement.connection
    .prepare<unknown[], Cell[]>(`SELECT ${value}, (${condition}) IS TRUE`)
    .raw()
    .safeIntegers()
  const r = new Registers(OUT + 1)
  const places = [1, 2, 3].map((index) => (index < types.length ? index : -1)) as [number, number, number]
  const all = types.map((_, index) => index)
  fc.assert(
    fc.property(fc.tuple(...types.map(valueOf)), (values) => {
      values.forEach((one, index) => {
        const literal = literals[index]
        if (literal === undefined) load(r, index, one)
        else loadLiteral(r, index, literal)
        // a cell of an undeclared column keeps a number's value, not whether it was written with a point
        if (types[index] === 'any') readKeyInto(keyBytesOf(r, index), 0, r, index)
      })
      const cells = Object.fromEntries(types.map((argType, index) => [`a${index}`, toStorer(argType)(r, index)]))
      const hasNull = types.some((_, index) => r.tag[index] === TAG.NULL)
      if (entry.strict && hasNull) r.setNull(OUT)
      else evaluate(r, OUT, 0, ...places, all)
      const [cell = null, truth] = statement.get(cells) ?? []
      const expected = Buffer.from(keyBytesOf(r, OUT)).toString('latin1')
      expect(shown(cell, type), `${entry.id}(${types.join()}) as ${value}`).toBe(expected)
      const isTrue = type === 'boolean' && r.tag[OUT] === TAG.BOOLEAN && r.num[OUT] === 1
      expect(Number(truth), `${entry.id}(${types.join()}) as the condition ${condition}`).toBe(isTrue ? 1 : 0)
    }),
    { numRuns: RUNS },
  )
}

for (const entry of FUNCTIONS) {
  test(`${entry.id} gives the same in SQLite`, () => {
    for (const types of combinations(entry)) check(entry, types)
  })
}

test('a key read back is the same key', () => {
  const r = new Registers(2)
  fc.assert(
    fc.property(valueOf('any'), (value) => {
      load(r, 0, value)
      const key = keyBytesOf(r, 0)
      readKeyInto(key, 0, r, 1)
      expect(keyBytesOf(r, 1)).toEqual(key)
    }),
  )
})
