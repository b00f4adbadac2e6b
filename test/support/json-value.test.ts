import { expect, test } from 'vitest'
import { JsonTextError, parseJsonText, parseJsonValue } from './json-value.ts'

function parse(text: string): unknown {
  const bytes = Buffer.from(`..${text}..`)
  return parseJsonValue(bytes, 2, bytes.length - 2)
}

test('integers keep every digit, the rest are doubles', () => {
  expect(parse('[0, -0, 12345678901234567890, -9007199254740993, 1.0, 1e2, 1e400]')).toEqual([
    0n,
    0n,
    12345678901234567890n,
    -9007199254740993n,
    1,
    100,
    Infinity,
  ])
})

test('objects are maps: the last duplicate wins, every name is ordinary', () => {
  expect(parse('{ "a" : 1 , "__proto__" : { } , "a" : [ true , false , null , "x" ] }')).toEqual(
    new Map<string, unknown>([
      ['a', [true, false, null, 'x']],
      ['__proto__', new Map()],
    ]),
  )
})

test('scalars alone, and text', () => {
  expect([parse('"a\\u00e9\\n"'), parse('true'), parse('null'), parse('-1.5'), parse('[ ]'), parse('""')]).toEqual([
    'a\u00e9\n',
    true,
    null,
    -1.5,
    [],
    '',
  ])
})

test('text that is none is refused, also as a key and deep inside', () => {
  for (const text of ['"\\u0000"', '"\\ud800"', '{"a":[{"\\ud800":1}]}'])
    expect(() => parse(text)).toThrow(JsonTextError)
  const bytes = Uint8Array.of(0x22, 0xff, 0x22)
  expect(() => parseJsonValue(bytes, 0, 3)).toThrow(JsonTextError)
  expect(() => parseJsonText(bytes, 1, 2)).toThrow('text is not valid UTF-8')
})

test('as deep as the reader accepts', () => {
  const text = '['.repeat(511) + ']'.repeat(511)
  let value = parse(text)
  let depth = 0
  for (; Array.isArray(value); depth++) value = value[0]
  expect(depth).toBe(511)
})
