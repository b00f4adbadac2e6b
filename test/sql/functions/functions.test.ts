import { expect, test } from 'vitest'
import { RollupdError } from '../../../src/core/errors.ts'
import { findFunctions, functionById, functionNames, FUNCTIONS } from '../../../src/sql/function-table.ts'
import { type Answer, call, callFully, entryFor, type Value } from './call.ts'

const error = (code: string): Answer => ({ error: code })
const double = (value: number): Value => ({ double: value })
const numeric = (text: string): Value & Answer => ({ numeric: text })
const time = (text: string): Value & Answer => ({ time: text })
const json = (text: string): Value & Answer => ({ json: text })
const months = (count: number): Value => ({ interval: `${count} mons` })
const span = (days: number, microseconds = 0): Value => ({ interval: `${days} days ${microseconds} us` })
const interval = (text: string): Value => ({ interval: text })
const date = (text: string): Value => ({ date: text })
const MAX = 2n ** 63n - 1n
const MIN = -(2n ** 63n)

type Row = readonly [name: string, args: readonly Value[], answer: Answer]

/** Rows with a title, since bigints have no JSON. */
function titled(rows: readonly Row[]): [title: string, row: Row][] {
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value)
  return rows.map((row) => [`${row[0]} ${JSON.stringify(row.slice(1), plain)}`, row])
}

const OPERATORS: readonly Row[] = [
  ['+', [2, 3], 5],
  ['+', [MAX, 1], error('integer_out_of_range')],
  ['+', [9_007_199_254_740_991, 1], 9_007_199_254_740_992n],
  ['+', [0.5, 1], 1.5],
  ['+', [numeric('0.1'), numeric('0.2')], numeric('0.3')],
  ['+', [numeric('9223372036854775807'), 1], 2n ** 63n],
  ['+', [numeric('0.1'), 0.5], 0.6],
  ['+', [double(1e308), double(1e308)], error('number_out_of_range')],
  ['+', [interval('2147483647 mons'), interval('1 mon')], error('interval_out_of_range')],
  ['*', [interval('2000000000 days'), 2], error('interval_out_of_range')],
  ['/', [interval('1 day'), 0], error('division_by_zero')],
  ['*', [double(NaN), interval('1 day')], error('interval_out_of_range')],
  ['-', [interval('-2147483648 mons')], error('interval_out_of_range')],
  ['+', [date('2026-01-31'), interval('1 mon')], { local: '2026-02-28T00:00:00' }],
  ['-', [date('2026-03-01'), date('2026-02-27')], 2],
  ['+', [date('294247-01-09'), 2], error('timestamp_out_of_range')],
  ['+', [time('294247-01-10T00:00:00Z'), interval('5 hours')], error('timestamp_out_of_range')],
  ['-', [{ local: '-004712-01-01T00:00:00' }, interval('1 year')], error('timestamp_out_of_range')],
  ['-', [MIN, 1], error('integer_out_of_range')],
  ['-', [1, 3], -2],
  ['-', [5], -5],
  ['-', [0], 0],
  ['-', [double(0)], 0],
  ['-', [MIN], error('integer_out_of_range')],
  ['-', [numeric('1.50')], numeric('-1.5')],
  ['*', [3_037_000_500, 3_037_000_500], error('integer_out_of_range')],
  ['*', [3_037_000_499, 3_037_000_499], 3_037_000_499n ** 2n],
  ['*', [double(1e-200), double(1e-200)], error('number_out_of_range')],
  ['*', [numeric('1.50'), 2], 3],
  ['/', [7, 2], 3],
  ['/', [-7, 2], -3],
  ['/', [MIN, -1], error('integer_out_of_range')],
  ['/', [9_007_199_254_740_991, 2], 4_503_599_627_370_495],
  ['/', [7, double(2)], 3.5],
  ['/', [7, 0], error('division_by_zero')],
  ['/', [7, double(0)], error('division_by_zero')],
  ['/', [numeric('7.0'), 0], error('division_by_zero')],
  ['/', [numeric('1.0'), 3], numeric('0.33333333333333333333')],
  ['/', [double(1e308), double(1e-10)], error('number_out_of_range')],
  ['%', [7, 3], 1],
  ['%', [-7, 3], -1],
  ['%', [MIN, -1], 0],
  ['%', [7, 0], error('division_by_zero')],
  ['%', [double(5.5), 2], 1.5],
  ['%', [numeric('5.50'), 2], numeric('1.5')],
  ['=', [3, double(3)], true],
  ['=', [9_007_199_254_740_993n, double(9_007_199_254_740_992)], false],
  ['<', [double(9_007_199_254_740_992), 9_007_199_254_740_993n], true],
  ['=', [numeric('0.1'), double(0.1)], false],
  ['<', [numeric('0.1'), double(0.1)], true],
  ['=', [double(NaN), double(NaN)], true],
  ['>', [double(NaN), double(Infinity)], true],
  ['>', [double(NaN), 2n ** 62n], true],
  ['<', ['\uffff', '\u{10000}'], true],
  ['<', ['a', 'ab'], true],
  ['<=', ['a', 'a'], true],
  ['>=', ['B', 'a'], false],
  ['<', [false, true], true],
  ['<', [time('1969-12-31T23:59:59Z'), time('1970-01-01T00:00:00Z')], true],
  ['=', [time('100000-01-01T00:00:00Z'), time('100000-01-01T00:00:00Z')], true],
  ['=', [json('{"a":1,"b":2}'), json('{"b":2.0,"a":1}')], true],
  ['<', [json('[1]'), json('[1,0]')], true],
  ['=', [json('["\\ud800"]'), json('[1]')], error('invalid_text')],
  ['<>', [1, 2], true],
  ['=', [null, 1], null],
  ['is distinct from', [null, 1], true],
  ['is distinct from', [null, null], false],
  ['is distinct from', [1, double(1)], false],
  ['is not distinct from', [null, null], true],
  ['is not distinct from', ['a', 'a'], true],
  ['is null', [null], true],
  ['is null', [0], false],
  ['is not null', [''], true],
  ['is true', [true], true],
  ['is true', [null], false],
  ['is not true', [null], true],
  ['is false', [false], true],
  ['is not false', [true], true],
  ['is unknown', [null], true],
  ['is not unknown', [false], true],
  ['not', [true], false],
  ['not', [null], null],
  ['||', ['a', 'b'], 'ab'],
  ['||', ['a', 1], 'a1'],
  ['||', [double(1e15), 'b'], '1e+15b'],
  ['||', ['a', true], 'atrue'],
  ['||', ['', time('2026-01-01T00:00:00Z')], '2026-01-01T00:00:00Z'],
  ['||', ['a', json('{}')], error('wrong_kind')],
  ['||', ['a', null], null],
  ['like', ['abc', 'a%'], true],
  ['like', ['abc', '%c'], true],
  ['like', ['abc', '%b%'], true],
  ['like', ['abc', 'abc'], true],
  ['like', ['abc', 'ABC'], false],
  ['like', ['abc', '_b_'], true],
  ['like', ['aéc', 'a_c'], true],
  ['like', ['a\u{1f600}c', 'a_c'], true],
  ['like', ['a_b', 'a\\_%'], true],
  ['like', ['axb', 'a\\_%'], false],
  ['like', ['', ''], true],
  ['like', ['', '%'], true],
  ['like', ['a', ''], false],
  ['like', ['a', '%%'], true],
  ['like', ['a%b', 'a#%b', '#'], true],
  ['like', ['axb', 'a#%b', '#'], false],
  ['like', ['a\\b', 'a\\b', ''], true],
  ['like', ['mississippi', '%is%ip%'], true],
  ['like', ['mississippi', 'm%iss%issi_pi'], true],
  ['like', ['mississippi', 'm%iss%issix_i'], false],
  ['not like', ['abc', 'a%'], false],
  ['ilike', ['ABC', 'a%'], true],
  ['ilike', ['STRASSE É', '%é'], true],
  ['ilike', ['ÀB', 'à_'], true],
  ['not ilike', ['ABC', 'b%'], true],
  ['->', [json('{"a":{"b":1}}'), 'a'], json('{"b":1}')],
  ['->', [json('{ "a" : 1 , "a" : 2 }'), 'a'], 2],
  ['->', [json('{"\\u0061":1.0}'), 'a'], 1],
  ['->', [json('[10,20,30]'), 1], 20],
  ['->', [json('[10,20,30]'), -1], 30],
  ['->', [json('[10,20,30]'), 3], null],
  ['->', [json('[10,20,30]'), -4], null],
  ['->', [json('[10]'), '0'], null],
  ['->', [json('{"0":1}'), 0], null],
  ['->', [json('{"a":null}'), 'a'], null],
  ['->', [json('{"a":"x\\ny"}'), 'a'], 'x\ny'],
  ['->', [json('{"a":123456789012345678901}'), 'a'], 123456789012345678901n],
  ['->', [json('{"a":1e400}'), 'a'], error('number_out_of_range')],
  ['->', [json('{"a":"\\ud800"}'), 'a'], error('invalid_text')],
  ['->>', [json('{"a":1.50}'), 'a'], '1.5'],
  ['->>', [json('{"a":true}'), 'a'], 'true'],
  ['->>', [json('{"a":{"c":1, "b":[ 2 ]}}'), 'a'], '{"b":[2],"c":1}'],
  ['->>', [json('{"a":"x"}'), 'b'], null],
  ['#>>', [json('{"a":[{"b":"x"}]}'), '{a,0,b}'], 'x'],
  ['#>>', [json('{"a":[{"b":"x"}]}'), '{a,-1,"b"}'], 'x'],
  ['#>>', [json('{"a":1}'), '{a,b}'], null],
  ['#>', [json('{"a":1}'), '{}'], json('{"a":1}')],
]

test.each(titled(OPERATORS))('%s', (_, [name, args, answer]) => {
  expect(call('operator', name, ...args)).toEqual(answer)
})

const CALLS: readonly Row[] = [
  ['lower', ['ÀBC'], 'àbc'],
  ['lower', ['ABC1'], 'abc1'],
  ['lower', ['abc'], 'abc'],
  ['upper', ['straße'], 'STRASSE'],
  ['upper', ['abz{'], 'ABZ{'],
  ['length', ['a\u{1f600}é'], 3],
  ['length', [''], 0],
  ['char_length', ['abc'], 3],
  ['substring', ['abcdef', 2], 'bcdef'],
  ['substring', ['abcdef', 2, 3], 'bcd'],
  ['substring', ['abcdef', -1, 4], 'ab'],
  ['substring', ['abcdef', -1], 'abcdef'],
  ['substring', ['abcdef', 0, 1], ''],
  ['substring', ['abcdef', 4, 0], ''],
  ['substring', ['abcdef', 9], ''],
  ['substring', ['abcdef', 2, MAX], 'bcdef'],
  ['substring', ['abcdef', 2, -1], error('invalid_argument')],
  ['substring', ['a\u{1f600}é', 2, 1], '\u{1f600}'],
  ['substr', ['abc', 2], 'bc'],
  ['trim', ['  a b '], 'a b'],
  ['btrim', ['xyaxy', 'yx'], 'a'],
  ['ltrim', ['éé a', 'é'], ' a'],
  ['rtrim', ['a\u{1f600}\u{1f600}', '\u{1f600}'], 'a'],
  ['rtrim', ['abc', ''], 'abc'],
  ['trim', ['\ta\t'], '\ta\t'],
  ['replace', ['aaa', 'aa', 'b'], 'ba'],
  ['replace', ['abc', '', 'x'], 'abc'],
  ['replace', ['a.c', '.', '$&'], 'a$&c'],
  ['abs', [-3], 3],
  ['abs', [double(-0.5)], 0.5],
  ['abs', [MIN], error('integer_out_of_range')],
  ['abs', [numeric('-1.50')], numeric('1.5')],
  ['round', [double(2.5)], 2],
  ['round', [double(3.5)], 4],
  ['round', [double(-2.5)], -2],
  ['round', [double(-0.4)], 0],
  ['round', [double(0.49999999999999994)], 0],
  ['round', [numeric('2.5')], 3],
  ['round', [numeric('-2.5')], -3],
  ['round', [MAX], MAX],
  ['round', [double(2.675), 2], 2.68],
  ['round', [double(1.005), 2], 1.01],
  ['round', [double(-1.005), 2], -1.01],
  ['round', [double(1234.5), -2], 1200],
  ['round', [1250, -2], 1300],
  ['round', [numeric('1.005'), 2], numeric('1.01')],
  ['round', [double(1.7976931348623157e308), -308], error('number_out_of_range')],
  ['round', [double(1e-320), 330], 1e-320],
  ['floor', [double(-1.5)], -2],
  ['floor', [numeric('-1.5')], -2],
  ['ceil', [double(-0.5)], 0],
  ['ceiling', [numeric('1.01')], 2],
  ['floor', [MAX], MAX],
  ['nullif', [1, 1], null],
  ['nullif', [1, double(1)], null],
  ['nullif', ['a', 'b'], 'a'],
  ['nullif', [null, 1], null],
  ['nullif', [1, null], 1],
  ['date_trunc', ['minute', time('1969-12-31T23:59:30Z')], time('1969-12-31T23:59:00Z')],
  ['date_trunc', ['WEEK', time('2025-01-05T23:59:59.999Z')], time('2024-12-30T00:00:00Z')],
  ['date_trunc', ['month', time('2024-02-29T23:59:59.999Z')], time('2024-02-01T00:00:00Z')],
  ['date_trunc', ['quarter', time('2024-12-30T01:00:00Z')], time('2024-10-01T00:00:00Z')],
  ['date_trunc', ['millisecond', time('2024-12-30T01:00:00.123456Z')], time('2024-12-30T01:00:00.123Z')],
  ['date_trunc', ['hour', time('100000-01-01T01:02:03.5Z')], time('+100000-01-01T01:00:00Z')],
  ['date_trunc', ['millennium', time('-004713-11-24T00:00:00Z')], error('timestamp_out_of_range')],
  ['time_bucket', [span(0, 900_000_000), time('2026-01-01T00:44:59Z')], time('2026-01-01T00:30:00Z')],
  ['time_bucket', [span(7), time('2000-01-02T23:59:59Z')], time('1999-12-27T00:00:00Z')],
  ['time_bucket', [span(7), time('2000-01-03T00:00:00Z')], time('2000-01-03T00:00:00Z')],
  ['time_bucket', [months(3), time('2026-08-15T00:00:00Z')], time('2026-07-01T00:00:00Z')],
  ['time_bucket', [months(5), time('1999-12-31T00:00:00Z')], time('1999-08-01T00:00:00Z')],
  [
    'time_bucket',
    [span(0, 3_600_000_000), time('2026-01-01T00:20:00Z'), time('2020-01-01T00:30:00Z')],
    time('2025-12-31T23:30:00Z'),
  ],
  [
    'time_bucket',
    [months(1), time('2026-02-10T00:00:00Z'), time('2020-01-15T00:00:00Z')],
    time('2026-01-15T00:00:00Z'),
  ],
  ['date_trunc', ['day', time('2024-10-27T12:00:00Z'), 'europe/berlin'], time('2024-10-26T22:00:00Z')],
  ['date_trunc', ['hour', time('2024-10-27T01:30:00Z'), 'Europe/Berlin'], time('2024-10-27T01:00:00Z')],
  ['date_trunc', ['day', time('2500-07-01T12:00:00Z'), 'Europe/Berlin'], time('2500-06-30T22:00:00Z')],
  ['date_trunc', ['day', time('2024-10-27T12:00:00Z'), 'Europe/Nowhere'], error('invalid_argument')],
  ['date_trunc', ['day', time('2024-10-27T12:00:00Z'), '+02:00'], error('invalid_argument')],
  ['time_bucket', [months(1), time('2024-03-31T23:30:00Z'), 'Europe/Berlin'], time('2024-03-31T22:00:00Z')],
  ['time_bucket', [span(1), time('2024-03-31T12:00:00Z'), 'Europe/Berlin'], time('2024-03-30T23:00:00Z')],
  [
    'date_bin',
    [span(0, 900_000_000), time('2026-01-01T00:44:59Z'), time('2001-01-01T00:05:00Z')],
    time('2026-01-01T00:35:00Z'),
  ],
  ['date_bin', [months(1), time('2026-01-01T00:44:59Z'), time('2001-01-01T00:05:00Z')], error('invalid_argument')],
  ['time_bucket', [span(3), time('200000-01-05T12:00:00Z')], time('+200000-01-03T00:00:00Z')],
  ['div', [8, double(NaN)], NaN],
  ['to_timestamp', [-30], time('1969-12-31T23:59:30Z')],
  ['to_timestamp', [double(-0.5)], time('1969-12-31T23:59:59.5Z')],
  ['to_timestamp', [double(1_735_689_600.123456)], time('2025-01-01T00:00:00.123456Z')],
  ['to_timestamp', [1_735_689_600_000_000_000n / 1000n], error('timestamp_out_of_range')],
  ['to_timestamp', [double(1e15)], error('timestamp_out_of_range')],
  ['to_timestamp', [double(NaN)], error('timestamp_out_of_range')],
  ['timestamp_millis', [1_735_689_600_123], time('2025-01-01T00:00:00.123Z')],
  ['timestamp_millis', [1_735_689_600_000_000_000n], error('timestamp_out_of_range')],
  ['timestamp_micros', [-1], time('1969-12-31T23:59:59.999999Z')],
  ['extract', ['epoch', time('2025-01-01T00:00:00.25Z')], 1_735_689_600.25],
  ['extract', ['second', time('2025-01-01T00:01:02.25Z')], 2.25],
  ['extract', ['isoyear', time('2024-12-30T00:00:00Z')], 2025],
  ['extract', ['week', time('2024-12-30T00:00:00Z')], 1],
  ['extract', ['dow', time('2024-12-29T00:00:00Z')], 0],
  ['extract', ['isodow', time('2024-12-29T00:00:00Z')], 7],
  ['extract', ['year', time('0000-06-01T00:00:00Z')], -1],
  ['date_part', ['DOY', time('2024-12-31T00:00:00Z')], 366],
]

test.each(titled(CALLS))('%s', (_, [name, args, answer]) => {
  expect(call('function', name, ...args)).toEqual(answer)
})

const CASTS: readonly Row[] = [
  ['bigint', ['  -12\n'], -12],
  ['bigint', ['9223372036854775807'], MAX],
  ['bigint', ['9223372036854775808'], error('integer_out_of_range')],
  ['bigint', ['1_000'], 1000],
  ['bigint', ['0x1f'], 31],
  ['bigint', [''], error('invalid_cast')],
  ['bigint', ['1.5'], error('invalid_cast')],
  ['bigint', ['١'], error('invalid_cast')],
  ['bigint', [double(2.5)], 2],
  ['bigint', [double(3.5)], 4],
  ['bigint', [double(9.3e18)], error('integer_out_of_range')],
  ['bigint', [double(-(2 ** 63))], MIN],
  ['bigint', [double(NaN)], error('integer_out_of_range')],
  ['bigint', [numeric('2.5')], 3],
  ['double precision', ['1e400'], error('number_out_of_range')],
  ['double precision', ['1e-400'], error('number_out_of_range')],
  ['double precision', ['0e-400'], 0],
  ['double precision', [' -Infinity '], -Infinity],
  ['double precision', ['nan'], NaN],
  ['double precision', ['.5'], 0.5],
  ['double precision', ['0.1'], 0.1],
  ['double precision', ['-0'], 0],
  ['double precision', ['123456789012345.67'], 123456789012345.67],
  ['double precision', ['1e5'], 100000],
  ['double precision', ['1,5'], error('invalid_cast')],
  ['double precision', [9_007_199_254_740_993n], 9_007_199_254_740_992],
  ['text', [double(1e15)], '1e+15'],
  ['text', [double(1e-5)], '1e-05'],
  ['text', [double(1.5e-7)], '1.5e-07'],
  ['text', [double(100)], '100'],
  ['text', [double(NaN)], 'NaN'],
  ['text', [double(-Infinity)], '-Infinity'],
  ['text', [MAX], '9223372036854775807'],
  ['text', [numeric('1.50')], '1.50'],
  ['text', [true], 'true'],
  ['text', [time('2026-01-01T00:00:00.120Z')], '2026-01-01T00:00:00.12Z'],
  ['text', [json('{"b": 1, "a": [ ]}')], '{"a":[],"b":1}'],
  ['boolean', [' Yes '], true],
  ['boolean', ['of'], false],
  ['boolean', ['o'], error('invalid_cast')],
  ['boolean', ['2'], error('invalid_cast')],
  ['boolean', [2], true],
  ['boolean', [0], false],
  ['timestamptz', ['2025-11-30T00:00:00.1234567+05:30'], time('2025-11-29T18:30:00.123456Z')],
  ['timestamptz', ['2025-11-30'], time('2025-11-30T00:00:00Z')],
  ['timestamptz', ['20251130T101112Z'], time('2025-11-30T10:11:12Z')],
  ['timestamptz', ['2025-11-30 24:00:00'], time('2025-12-01T00:00:00Z')],
  ['timestamptz', ['2025-02-29T00:00:00Z'], error('invalid_cast')],
  ['timestamptz', ['now'], error('invalid_cast')],
  ['timestamptz', ['infinity'], error('invalid_cast')],
  ['timestamptz', ['11/30/2025'], error('invalid_cast')],
  ['timestamptz', ['294276-12-31T00:00:00Z'], error('timestamp_out_of_range')],
]

test.each(titled(CASTS))('%s', (_, [name, args, answer]) => {
  expect(call('cast', name, ...args)).toEqual(answer)
  const failed = answer !== null && typeof answer === 'object' && 'error' in answer
  expect(call('try_cast', name, ...args)).toEqual(failed ? null : answer)
})

test('two kinds in a comparison are null, and the register file says so', () => {
  for (const name of ['=', '<>', '<', '<=', '>', '>=']) {
    for (const [left, right] of [
      [1, 'a'],
      [true, 1],
      [json('[]'), json('{}')],
      ['2026-01-01', time('2026-01-01T00:00:00Z')],
    ] as const) {
      const { answer, kindMismatch } = callFully('operator', name, [left, right], ['any', 'any'])
      expect([answer, kindMismatch]).toEqual([null, true])
    }
  }
  expect(callFully('operator', 'is distinct from', [1, 'a'], ['any', 'any'])).toMatchObject({
    answer: true,
    kindMismatch: false,
  })
  expect(callFully('operator', 'not', [1], ['any'])).toMatchObject({ answer: null, kindMismatch: true })
  expect(callFully('operator', 'is true', ['true'], ['any'])).toMatchObject({ answer: false, kindMismatch: true })
  expect(callFully('function', 'nullif', [1, '1'], ['any', 'any'])).toMatchObject({ answer: 1, kindMismatch: true })
})

test('undeclared numbers: / is double division, int64 stays the bound, wider integers are exact', () => {
  const any = (name: string, ...values: Value[]): Answer => callFully('operator', name, values, ['any', 'any']).answer
  expect(any('/', 7, 2)).toBe(3.5)
  expect(any('/', 1, 0)).toEqual(error('division_by_zero'))
  expect(any('+', MAX, 1)).toEqual(error('integer_out_of_range'))
  expect(any('+', 2n ** 64n, 1)).toBe(2n ** 64n + 1n)
  expect(any('%', double(7), 4)).toBe(3)
  expect(callFully('operator', '/', [7, 2], ['any', 'bigint']).answer).toBe(3.5)
  expect(any('+', 10n ** 400n, double(1))).toEqual(error('number_out_of_range'))
})

test('a kind that a function does not take is named', () => {
  const message = (
    form: 'function' | 'operator' | 'cast',
    name: string,
    values: readonly Value[],
  ): string | undefined =>
    callFully(
      form,
      name,
      values,
      values.map(() => 'any'),
    ).message
  expect(message('function', 'lower', [3])).toBe("lower doesn't take a number")
  expect(message('operator', '+', ['a', 1])).toBe("the operator + doesn't take text")
  expect(message('operator', 'like', [json('{}'), 'a'])).toBe("like doesn't take an object")
  expect(message('function', 'date_trunc', ['day', '2026-01-01'])).toBe(
    "date_trunc doesn't take text: cast it with ::timestamptz",
  )
  expect(message('cast', 'timestamptz', [1])).toBe(
    "a number can't be cast to timestamptz: use to_timestamp (seconds) or timestamp_millis",
  )
  expect(message('cast', 'bigint', [true])).toBe("a boolean can't be cast to bigint")
  expect(message('cast', 'bigint', ['12abc\n'])).toBe('invalid input for bigint: "12abc\\n"')
})

/** One of each kind, for third arguments. */
const FEW_VALUES: readonly Value[] = [true, 1, double(0.5), 'a', time('2026-01-01T00:00:00Z'), json('[]'), null]

test('every function answers every kind with a value or an error, and never throws', () => {
  const values: readonly Value[] = [
    true,
    1,
    MAX,
    2n ** 80n,
    double(0.5),
    double(Infinity),
    numeric('1.5'),
    'a',
    '',
    '{a}',
    time('2026-01-01T00:00:00Z'),
    time('200000-01-01T00:00:00Z'),
    json('[]'),
    json(' {"a":1}'),
    span(1),
    months(1),
    null,
  ]
  for (const entry of FUNCTIONS) {
    for (const count of [1, 2, 3]) {
      const types = Array.from({ length: count }, () => 'any' as const)
      if (entry.resolve(types) === undefined || entryFor(entry.form, entry.name, types) !== entry) continue
      for (const a of values)
        for (const b of count > 1 ? values : [1]) {
          for (const c of count > 2 ? FEW_VALUES : [1]) {
            callFully(entry.form, entry.name, [a, b, c].slice(0, count), types)
          }
        }
    }
  }
})

test('bad literals are refused with their position', () => {
  const literal = (value: unknown) => ({ kind: 'literal', type: 'text', value, position: 7 }) as never
  const width = (text: string) => [{ kind: 'literal', type: 'interval', value: text, position: 7 } as never]
  const refused = (id: string, ...args: unknown[]): RollupdError => {
    try {
      functionById(id).specialize?.(args.map((arg) => (Array.isArray(arg) ? (arg[0] as never) : literal(arg))))
    } catch (problem) {
      if (problem instanceof RollupdError) return problem
    }
    throw new Error(`${id} was not refused`)
  }
  expect(refused('date_trunc', 'minuts', null)).toMatchObject({ code: 'sql_invalid', position: 7 })
  expect(refused('date_trunc', 'minuts', null).hint).toContain('minute')
  expect(refused('extract', 'yaer', null).message).toBe('unknown field "yaer"')
  expect(refused('like', 'x', 'a\\').position).toBe(7)
  expect(refused('path_text', null, 'a,b').code).toBe('sql_invalid')
  expect(refused('time_bucket', width('1 mon 1 day'), null).code).toBe('sql_invalid')
  expect(refused('date_bin', width('1 mon'), null, null).hint).toContain('time_bucket')
  expect(refused('date_trunc_zone', 'day', null, 'Europe/Berlni').hint).toContain('Europe/Berlin')
  expect(refused('time_bucket', width('0 days'), null).code).toBe('sql_invalid')
})

test('static types that no entry takes are not resolved', () => {
  for (const [form, name, types] of [
    ['operator', '+', ['text', 'bigint']],
    ['operator', '=', ['text', 'bigint']],
    ['operator', '=', ['timestamptz', 'text']],
    ['operator', 'not', ['bigint']],
    ['operator', '||', ['bigint', 'bigint']],
    ['function', 'lower', ['bigint']],
    ['function', 'lower', ['text', 'text']],
    ['function', 'substring', ['text', 'text']],
    ['function', 'time_bucket', ['text', 'timestamptz']],
    ['cast', 'timestamptz', ['bigint']],
    ['cast', 'bigint', ['boolean']],
    ['cast', 'boolean', ['double precision']],
  ] as const) {
    expect(entryFor(form, name, types), `${name}(${types.join(', ')})`).toBeUndefined()
  }
})

test('the table has unique ids, and finds by form and name', () => {
  expect(new Set(FUNCTIONS.map(({ id }) => id)).size).toBe(FUNCTIONS.length)
  for (const { id } of FUNCTIONS) expect(id).toMatch(/^[a-z_0-9]+$/)
  expect(findFunctions('operator', '-').map(({ id }) => id)).toEqual([
    ...['subtract_exact', 'subtract', 'negate', 'subtract_interval', 'subtract_dates', 'subtract_times'],
    ...['subtract_days', 'subtract_intervals', 'negate_interval', 'remove_from_json'],
  ])
  expect(findFunctions('function', 'nope')).toEqual([])
  expect(() => functionById('nope')).toThrow('nope')
  expect(functionNames()).toContain('date_trunc')
  expect(functionNames()).not.toContain('+')
})

test('matching a pattern with many % is not exponential', () => {
  const started = performance.now()
  expect(call('operator', 'like', 'a'.repeat(20_000), `${'%a'.repeat(50)}%b`)).toBe(false)
  expect(performance.now() - started).toBeLessThan(2_000)
})
