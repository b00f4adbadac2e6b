/** Native SQLite text of the table against the evaluators: the same answer for every cell that isn't an error. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyBytesOf } from '../../../src/core/key-bytes.ts'
import { Registers, TAG } from '../../../src/core/registers.ts'
import { type ScalarType, toColumnStorage } from '../../../src/core/scalar-type.ts'
import { FUNCTIONS } from '../../../src/sql/function-table.ts'
import { load, type Value } from './call.ts'

const RUNS = Number(process.env['NATIVE_RUNS'] ?? 60)

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -3n, max: 3n }),
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n),
)
const doubles = fc
  .oneof(fc.double(), fc.integer({ min: -3, max: 3 }), fc.constantFrom(2 ** 53, 2 ** 63, NaN, Infinity, -Infinity))
  .map((double) => ({ double: double + 0 }))
const texts = fc
  .string({ unit: fc.constantFrom('a', 'B', 'b', 'é', '\uffff', '\u{10000}', ' '), maxLength: 3 })
  .map((text): Value => text)

const VALUES: Partial<Record<ScalarType, fc.Arbitrary<Value>>> = {
  bigint: integers,
  'double precision': doubles,
  numeric: fc.oneof(integers, fc.constantFrom({ numeric: '0.1' }, { numeric: '1.5' }, { numeric: '-1e30' })),
  number: fc.oneof(
    integers,
    doubles.filter(({ double }) => Number.isFinite(double)),
  ),
  text: texts,
  boolean: fc.boolean(),
  timestamptz: fc
    .constantFrom('1969-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '200000-01-01')
    .map((time) => ({ time })),
  any: fc.oneof(integers, doubles, texts, fc.boolean(), fc.constantFrom({ json: '[1,2]' }, { json: '{"a":[]}' })),
}

/** The cell of a column of that type: native, or key bytes. */
function cellOf(r: Registers, index: number, type: ScalarType): number | bigint | string | Uint8Array | null {
  const storage = toColumnStorage(type)
  switch (r.tag[index]) {
    case TAG.NULL:
      return null
    case TAG.BOOLEAN:
      return storage === 'BLOB' ? keyBytesOf(r, index) : BigInt(r.num[index] as number)
    case TAG.INTEGER:
    case TAG.BIG_INTEGER:
      return storage === 'BLOB' ? keyBytesOf(r, index) : r.bigIntegerOf(index)
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      return r.microsecondsOf(index)
    case TAG.DOUBLE:
      return storage === 'BLOB' || Number.isNaN(r.num[index]) ? keyBytesOf(r, index) : (r.num[index] as number)
    case TAG.TEXT:
      return storage === 'BLOB' ? keyBytesOf(r, index) : Buffer.from(r.bytesOf(index)).toString('utf8')
    default:
      return keyBytesOf(r, index)
  }
}

function combinations(count: number): ScalarType[][] {
  const types = Object.keys(VALUES) as ScalarType[]
  if (count === 1) return types.map((type) => [type])
  return types.flatMap((left) => types.map((right) => [left, right]))
}

const db = new Database(':memory:')

for (const entry of FUNCTIONS) {
  for (const types of [...combinations(1), ...combinations(2)]) {
    const result = entry.resolve(types)
    const parameters = types.map((_, index) => `@a${index}`)
    const text = result === undefined ? undefined : entry.native?.(parameters, types)
    if (result === undefined || text === undefined) continue
    test(`${entry.id}(${types.join(', ')}) is ${text}`, () => {
      const statement = db.prepare(`SELECT ${text}`).pluck().safeIntegers()
      const values = types.map((type) => fc.option(VALUES[type] as fc.Arbitrary<Value>))
      fc.assert(
        fc.property(fc.tuple(...values), (args) => {
          const r = new Registers(3)
          for (const [index, value] of args.entries()) load(r, index, value)
          if (entry.strict && args.includes(null)) r.setNull(2)
          else entry.evaluate(r, 2, 0, args.length > 1 ? 1 : -1, -1, -1)
          expect(r.kindMismatch).toBe(false)
          const cells = Object.fromEntries(types.map((type, index) => [`a${index}`, cellOf(r, index, type)]))
          const answer = statement.get(cells)
          expect(answer instanceof Uint8Array ? Uint8Array.from(answer) : answer).toEqual(cellOf(r, 2, result))
          expect(r.tag[2]).not.toBe(TAG.ERROR)
        }),
        { numRuns: RUNS },
      )
    })
  }
}
