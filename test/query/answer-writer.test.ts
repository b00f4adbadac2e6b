/** The text of answers: digits, strings for big numbers, CSV's quoting. */
import type { Cell } from '../../src/core/scalar-type.ts'
import { expect, test } from 'vitest'
import { keyBytesOf } from '../../src/core/key-bytes.ts'
import { Registers } from '../../src/core/registers.ts'
import { createAnswerText } from '../../src/query/answer-writer.ts'
import type { AnswerFormat, ResultMeta } from '../../src/query/query-request.ts'

const COLUMNS = [
  { name: 'id', type: 'bigint' },
  { name: 'a,"b', type: 'text' },
  { name: 'x', type: 'any' },
  { name: 'd', type: 'double precision' },
  { name: 'ok', type: 'boolean' },
  { name: 't', type: 'timestamptz' },
] as const

const META: ResultMeta = { columns: COLUMNS, row_count: 2, truncated: false, elapsed_ms: 1, epoch: 2, as_of: {} }

function keyOf(fill: (r: Registers) => void): Uint8Array {
  const r = new Registers(1)
  fill(r)
  return keyBytesOf(r, 0)
}

const WIDE = keyOf((r) => r.setBigInteger(0, 12345678901234567890123n))
const ROWS: readonly (readonly Cell[])[] = [
  [9223372036854775807n, 'say "hi",\nü', WIDE, 0.1, 1n, 0n],
  [1n, '', null, keyOf((r) => r.setDouble(0, Number.NaN)), 0n, null],
]

function write(format: AnswerFormat, bigNumbers: 'number' | 'string' = 'number'): string {
  const text = createAnswerText(format, COLUMNS, bigNumbers)
  return text.head + ROWS.map((cells, index) => text.row(cells, index)).join('') + text.tail(META)
}

test('JSON keeps all digits of numbers', () => {
  const text = write('json')
  expect(text).toContain(
    '"id":9223372036854775807,"a,\\"b":"say \\"hi\\",\\nü","x":12345678901234567890123,"d":0.1,"ok":true,"t":"1970-01-01T00:00:00Z"',
  )
  expect(text).toContain('"x":null,"d":"NaN","ok":false,"t":null')
  const { rows, columns, ...rest } = JSON.parse(text) as Record<string, unknown>
  expect(rows).toHaveLength(2)
  expect(columns).toEqual(COLUMNS)
  expect(rest).toEqual({ row_count: 2, truncated: false, elapsed_ms: 1, epoch: 2, as_of: {} })
})

test('big numbers are strings on request, others stay numbers', () => {
  expect(JSON.parse(write('json', 'string'))).toMatchObject({
    rows: [{ id: '9223372036854775807', x: '12345678901234567890123', d: 0.1 }, { id: 1 }],
  })
})

test('NDJSON has a row a line and the rest behind', () => {
  const lines = write('ndjson').trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ result: { columns: COLUMNS, row_count: 2 } })
})

test('CSV quotes what needs it; null is empty, the empty text is quoted', () => {
  expect(write('csv')).toBe(
    [
      'id,"a,""b",x,d,ok,t',
      '9223372036854775807,"say ""hi"",\nü",12345678901234567890123,0.1,true,1970-01-01T00:00:00Z',
      '1,"",,NaN,false,',
      '',
    ].join('\r\n'),
  )
})
