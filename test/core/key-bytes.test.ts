import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Decimal, decimalOfInteger } from '../../src/core/decimal.ts'
import { errorCell, GROUPING_SETS_MAX, keyBytesOf, KeyWriter, readErrorCell } from '../../src/core/key-bytes.ts'
import { keyToJsonText, readKeyInto, skipKey } from '../../src/core/key-reader.ts'
import { Registers, TAG } from '../../src/core/registers.ts'
import { compareKeyValues, type KeyValue, loadKeyValue, numbers, scalars } from './key-values.ts'

const RUNS = Number(process.env['KEY_RUNS'] ?? 2_000)

function keyOf(...values: readonly KeyValue[]): Uint8Array {
  const r = new Registers(1)
  const writer = new KeyWriter()
  for (const value of values) {
    loadKeyValue(r, 0, value)
    expect(writer.appendRegister(r, 0)).toBeNull()
  }
  return writer.bytes.slice(0, writer.length)
}

function keyOfJson(text: string): Uint8Array {
  const r = new Registers(1)
  const bytes = Buffer.from(` ${text} `)
  r.setJson(0, bytes, 1, bytes.length - 1)
  return keyBytesOf(r, 0)
}

const integer = (value: bigint): KeyValue => ({ kind: 'integer', value })
const double = (value: number): KeyValue => ({ kind: 'double', value })

test('byte order is value order, and equal bytes are equal values', () => {
  fc.assert(
    fc.property(scalars, scalars, (left, right) => {
      expect(Math.sign(Buffer.compare(keyOf(left), keyOf(right)))).toBe(Math.sign(compareKeyValues(left, right)))
    }),
    { numRuns: RUNS },
  )
})

test('numbers order and equal by exact value, whatever their form', () => {
  fc.assert(
    fc.property(numbers, numbers, (left, right) => {
      expect(Math.sign(Buffer.compare(keyOf(left), keyOf(right)))).toBe(Math.sign(compareKeyValues(left, right)))
    }),
    { numRuns: RUNS },
  )
})

// quadratic time would take a minute
test.each([
  ['whole', 10n ** 131_071n + 1n, 0],
  ['of a fraction', 10n ** 60_000n + 1n, 16_383],
])('a number of very many digits, %s, is written and read in little time', (_, unscaled, scale) => {
  const key = keyOf({ kind: 'decimal', value: { unscaled, scale } })
  const r = new Registers(1)
  expect(readKeyInto(key, 0, r, 0)).toBe(key.length)
  const read = r.ref[0] as bigint | Decimal
  const found = typeof read === 'bigint' ? decimalOfInteger(read) : read
  expect(found.scale).toBe(scale)
  // no toEqual: it would print them
  expect(found.unscaled === unscaled).toBe(true)
})

test('several values order column by column', () => {
  const rows = fc.array(scalars, { minLength: 2, maxLength: 2 })
  fc.assert(
    fc.property(rows, rows, (left, right) => {
      const columns = left.map((value, index) => compareKeyValues(value, right[index] as KeyValue))
      const expected = columns.find((order) => order !== 0) ?? 0
      expect(Math.sign(Buffer.compare(keyOf(...left), keyOf(...right)))).toBe(Math.sign(expected))
    }),
    { numRuns: RUNS },
  )
})

test('a key reads back as an equal value and ends where it was written', () => {
  fc.assert(
    fc.property(scalars, scalars, (value, next) => {
      const key = keyOf(value, next)
      const r = new Registers(1)
      const end = readKeyInto(key, 0, r, 0)
      expect(end).toBe(keyOf(value).length)
      expect(skipKey(key, 0)).toBe(end)
      expect(keyBytesOf(r, 0)).toEqual(keyOf(value))
    }),
    { numRuns: RUNS },
  )
})

test('one value has one form when it is read', () => {
  const r = new Registers(1)
  const read = (value: KeyValue): [number, unknown] => {
    readKeyInto(keyOf(value), 0, r, 0)
    return [r.tag[0] as number, r.tag[0] === TAG.INTEGER || r.tag[0] === TAG.DOUBLE ? r.num[0] : r.ref[0]]
  }
  expect(read(double(3))).toEqual([TAG.INTEGER, 3])
  expect(read(double(2 ** 60))).toEqual([TAG.BIG_INTEGER, 2n ** 60n])
  expect(read(integer(2n ** 63n + 1n))).toEqual([TAG.BIG_INTEGER, 2n ** 63n + 1n])
  expect(read(double(0.5))).toEqual([TAG.DOUBLE, 0.5])
  expect(read({ kind: 'decimal', value: { unscaled: 50n, scale: 2 } })).toEqual([TAG.DOUBLE, 0.5])
  expect(read({ kind: 'decimal', value: { unscaled: 10n, scale: 2 } })).toEqual([
    TAG.NUMERIC,
    { unscaled: 1n, scale: 1 },
  ])
  expect(read({ kind: 'decimal', value: { unscaled: 1n, scale: 400 } })).toEqual([
    TAG.NUMERIC,
    { unscaled: 1n, scale: 400 },
  ])
  expect(read(integer(-(10n ** 400n)))).toEqual([TAG.BIG_INTEGER, -(10n ** 400n)])
})

test('3 takes ten bytes', () => {
  expect(Buffer.from(keyOf(integer(3n))).toString('hex')).toBe('30c00800000000000000')
  expect(keyOf(double(-0))).toEqual(keyOf(integer(0n)))
})

test('NaN and the infinities stand around the numbers', () => {
  const order = [
    double(-Infinity),
    integer(-(10n ** 400n)),
    double(0),
    integer(10n ** 400n),
    double(Infinity),
    double(NaN),
  ]
  const keys = order.map((value) => keyOf(value))
  expect(keys.toSorted((a, b) => Buffer.compare(a, b))).toEqual(keys)
  const r = new Registers(1)
  for (const [index, value] of [double(-Infinity), double(Infinity), double(NaN)].entries()) {
    readKeyInto(keyOf(value), 0, r, 0)
    expect([r.tag[0], r.num[0]]).toEqual([TAG.DOUBLE, [-Infinity, Infinity, NaN][index]])
  }
})

test('kinds order as jsonb orders them, null is last', () => {
  const keys = [
    keyOf({ kind: 'text', text: 'zz' }),
    keyOf(integer(5n)),
    keyOf({ kind: 'boolean', value: false }),
    keyOf({ kind: 'boolean', value: true }),
    ...[
      '[]',
      '[null]',
      '["a"]',
      '[1]',
      '[false]',
      '[[]]',
      '[{}]',
      '[1,2]',
      '{}',
      '{"a":1}',
      '{"a":2}',
      '{"b":0}',
      '{"a":0,"b":0}',
    ].map(keyOfJson),
    keyOf({ kind: 'time', value: 0n }),
    keyOf({ kind: 'null' }),
  ]
  expect(keys.toSorted((a, b) => Buffer.compare(a, b))).toEqual(keys)
})

test('a grouping set takes one byte before the values', () => {
  const key = new KeyWriter()
  key.appendGroupingSet(GROUPING_SETS_MAX - 1)
  expect(key.length).toBe(1)
  expect(key.bytes[0]).toBe(GROUPING_SETS_MAX - 1)
})

test.each([
  ['{"x":1,"y":2}', '{ "y" : 2.0 , "x" : 10e-1 }'],
  ['{"a":2}', '{"a":1,"a":2}'],
  ['{"a":{"c":1,"b":[]}}', '{"a":1,"a":{"b":[ ],"c":1}}'],
  ['["\\u0061\\n"]', '["a\\u000a"]'],
  ['[0.1,-0]', '[0.10,0]'],
  ['[100000000000000000000]', '[1e20]'],
])('%s equals %s', (left, right) => {
  expect(keyOfJson(left)).toEqual(keyOfJson(right))
})

test('shorter keys come first, as jsonb stores them', () => {
  const less = (left: string, right: string): boolean => Buffer.compare(keyOfJson(left), keyOfJson(right)) < 0
  expect(less('{"b":1,"aa":9}', '{"b":2,"aa":0}')).toBe(true)
  expect(keyToJsonText(keyOfJson('{"aa":1,"b":2}'), 0)).toBe('{"b":2,"aa":1}')
})

test.each([
  ['[1,2]', '[2,1]'],
  ['[]', '[[]]'],
  ['[null]', '[]'],
  ['["1"]', '[1]'],
  ['[0.1]', '[0.1000000000000000055511151231257827]'],
  ['{"a":null}', '{}'],
  ['["a","b"]', '["ab"]'],
])('%s differs from %s', (left, right) => {
  expect(keyOfJson(left)).not.toEqual(keyOfJson(right))
})

test.each([
  ['{"y":2.50,"x":[1.0,"\\u00e9\\"",null,true]}', '{"x":[1,"é\\"",null,true],"y":2.5}'],
  ['[1e300,1e-7,123456789012345678901234567890]', undefined],
  ['{"bb":1,"a":2}', '{"a":2,"bb":1}'],
  ['[]', '[]'],
  ['{}', '{}'],
])('%s as JSON text', (given, expected) => {
  const text = keyToJsonText(keyOfJson(given), 0)
  expect(JSON.parse(text)).toEqual(JSON.parse(given))
  if (expected !== undefined) expect(text).toBe(expected)
})

test('any JSON value survives its key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      const text = JSON.stringify(value)
      if (text.includes('\\u0000') || !isWellFormedDeep(value)) return
      const key = keyOfJson(text)
      expect(skipKey(key, 0)).toBe(key.length)
      const back = keyToJsonText(key, 0)
      expect(keyOfJson(back)).toEqual(key)
      expect(JSON.parse(back)).toEqual(JSON.parse(text))
      const r = new Registers(1)
      expect(readKeyInto(key, 0, r, 0)).toBe(key.length)
      expect(Buffer.from(r.bytesOf(0)).toString('utf8')).toBe(back)
    }),
    { numRuns: Math.min(RUNS, 300) },
  )
})

function isWellFormedDeep(value: unknown): boolean {
  return !/\\ud[89a-f]/i.test(JSON.stringify(value))
}

test.each([
  [integer(3n), '3'],
  [double(1e15), '1000000000000000'],
  [double(2 ** 70), '1180591620717411303424'],
  [double(1e300), '1e+300'],
  [double(0.1), '0.1'],
  [double(1e-7), '1e-7'],
  [integer(10n ** 25n + 1n), '10000000000000000000000001'],
  [{ kind: 'decimal', value: { unscaled: -1230n, scale: 3 } }, '-1.23'],
  [double(NaN), '"NaN"'],
  [{ kind: 'time', value: 1_735_689_600_123_000n }, '"2025-01-01T00:00:00.123Z"'],
  [{ kind: 'null' }, 'null'],
] as const)('%o is shown as %s', (value, text) => {
  expect(keyToJsonText(keyOf(value), 0)).toBe(text)
})

test('what no key can hold is an error, and the writer is as before', () => {
  const r = new Registers(2)
  const writer = new KeyWriter()
  r.setInteger(0, 1)
  writer.appendRegister(r, 0)
  const before = writer.length
  for (const [text, code] of [
    ['["\\ud800"]', 'invalid_text'],
    ['{"a\\u0000":1}', 'invalid_text'],
    ['[1e2000]', 'number_out_of_range'],
    ['[{"a":[1,"\\udc00"]},2]', 'invalid_text'],
  ] as const) {
    const bytes = Buffer.from(text)
    r.setJson(1, bytes, 0, bytes.length)
    expect(writer.appendRegister(r, 1)?.code).toBe(code)
    expect(writer.length).toBe(before)
  }
  const invalid = Buffer.concat([Buffer.from('["'), Buffer.of(0xff), Buffer.from('"]')])
  r.setJson(1, invalid, 0, invalid.length)
  expect(writer.appendRegister(r, 1)?.code).toBe('invalid_text')
})

test('text with a zero byte is escaped', () => {
  const r = new Registers(2)
  const bytes = Buffer.from('a\0b')
  r.setText(0, bytes, 0, 3)
  const key = keyBytesOf(r, 0)
  expect(Buffer.from(key).toString('hex')).toBe('206100ff6200')
  expect(readKeyInto(key, 0, r, 1)).toBe(key.length)
  expect(Buffer.from(r.bytesOf(1)).toString()).toBe('a\0b')
})

test('an error cell gives its error back and is no value', () => {
  const cell = errorCell('division_by_zero', 'division by zero in ü')
  expect(readErrorCell(cell)).toEqual({ code: 'division_by_zero', message: 'division by zero in ü' })
  expect(readErrorCell(keyOf(integer(1n)))).toBeUndefined()
  const r = new Registers(1)
  readKeyInto(cell, 0, r, 0)
  expect(r.tag[0]).toBe(TAG.ERROR)
  expect(keyBytesOf(r, 0)).toEqual(cell)
})

test('deep nests and wide objects are written in linear time', () => {
  const depth = 512
  const wide = Array.from({ length: 20_000 }, (_, index) => `"k${20_000 - index}":${index}`).join(',')
  const text = `${'{"b":0,"a":'.repeat(depth)}{${wide}}${'}'.repeat(depth)}`
  const started = performance.now()
  expect(JSON.parse(keyToJsonText(keyOfJson(text), 0))).toEqual(JSON.parse(text))
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('int64 takes a short way to the same bytes', () => {
  const near = fc
    .tuple(fc.integer({ min: 52, max: 63 }), fc.bigInt({ min: -4_097n, max: 4_097n }), fc.constantFrom(1n, -1n))
    .map(([power, distance, sign]) => sign * (2n ** BigInt(power) + distance))
  fc.assert(
    fc.property(fc.oneof(near, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (value) => {
      const long: KeyValue = { kind: 'decimal', value: { unscaled: value, scale: 0 } }
      expect(keyOf({ kind: 'integer', value })).toEqual(keyOf(long))
    }),
    { numRuns: RUNS },
  )
})
