/** PostgreSQL as the oracle (postgres-oracle.ts): operators, casts, times, and the functions that keep a number's form. */
import fc from 'fast-check'
import { test } from 'vitest'
import { formatTimestamp } from '../../../src/core/timestamp-format.ts'
import { TIMESTAMP_FIELDS } from '../../../src/core/timestamp-field.ts'
import { TRUNCATE_UNITS } from '../../../src/core/timestamp-truncate.ts'
import { type Answer, call } from './call.ts'
import {
  agree,
  doubles,
  doubleShown,
  int64,
  positiveZero,
  shown,
  startPostgres,
  textOf,
  words,
} from './postgres-oracle.ts'

startPostgres()

/** timestamptz as ISO text with Z, for comparing. */
const ISO = (expression: string): string => `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`
const asIso = (answer: Answer): string | null => {
  const text = shown(answer)
  if (text === null || text === 'refused') return text
  const [whole = '', fraction = ''] = text.slice(0, -1).split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

for (const operator of ['+', '-', '*', '/', '%'] as const) {
  test(`bigint ${operator} bigint`, async () => {
    await agree(
      fc.tuple(int64, int64),
      `a::bigint ${operator} b::bigint`,
      ([a, b]) => [String(a), String(b)],
      ([a, b]) => shown(call('operator', operator, a, b)),
    )
  })
}

for (const operator of ['+', '-', '*', '/'] as const) {
  test(`double ${operator} double`, async () => {
    await agree(
      fc.tuple(doubles.map(positiveZero), doubles.map(positiveZero)),
      `nullif(a::float8 ${operator} b::float8, 0)`,
      ([a, b]) => [String(a), String(b)],
      ([a, b]) => {
        const answer = call('operator', operator, { double: a }, { double: b })
        return answer === 0 ? null : doubleShown(answer)
      },
    )
  })

  test(`numeric ${operator} numeric`, async () => {
    const decimals = fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 1, max: 12 }))
      .map(([unscaled, scale]) => {
        const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
        return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
      })
    await agree(
      fc.tuple(decimals, decimals),
      // an exact result of ours keeps no zeros at its end
      `trim_scale(a::numeric ${operator} b::numeric)`,
      ([a, b]) => [a, b],
      ([a, b]) => shown(call('operator', operator, { numeric: a }, { numeric: b })),
    )
  })
}

test('double as text', async () => {
  await agree(
    doubles.map(positiveZero),
    'a::float8',
    (value) => [String(value)],
    (value) => textOf({ double: value }),
  )
})

test('double to bigint, round, floor, ceil and abs', async () => {
  const plain = doubles.map(positiveZero)
  await agree(
    plain,
    'a::float8::bigint',
    (v) => [String(v)],
    (v) => shown(call('cast', 'bigint', { double: v })),
  )
  for (const name of ['round', 'floor', 'ceil', 'abs']) {
    await agree(
      plain,
      `${name}(a::float8) + 0`,
      (v) => [String(v)],
      (v) => doubleShown(call('function', name, { double: v })),
    )
  }
})

test('round to places is the rounding of the shortest decimal text', async () => {
  const places = fc.integer({ min: -4, max: 18 })
  await agree(
    fc.tuple(fc.double({ min: -1e12, max: 1e12, noNaN: true }).map(positiveZero), places),
    'round(a::numeric, b::int)::float8 + 0',
    ([v, n]) => [String(v), String(n)],
    ([v, n]) => doubleShown(call('function', 'round', { double: v }, n)),
  )
  await agree(
    fc.tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 3 })),
    'round((a::numeric / 1000)::numeric, b::int)::float8 + 0',
    ([v, n]) => [String(v), String(n)],
    ([v, n]) => doubleShown(call('function', 'round', { double: v / 1_000 }, n)),
  )
})

const numberTexts = fc.oneof(
  fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-', '+', 'e', ' ', '_', 'x', 'b'), maxLength: 7 }),
  int64.map(String),
  doubles.map(String),
  fc.constantFrom(
    ' 12 ',
    '\t-5\n',
    '0x1F',
    '0o17',
    '0b101',
    '1_000',
    'nan',
    'Infinity',
    '-inf',
    '9223372036854775808',
    '1e400',
  ),
)

test('text to bigint', async () => {
  await agree(
    numberTexts,
    'a::bigint',
    (v) => [v],
    (v) => shown(call('cast', 'bigint', v)),
  )
})

test('text to numeric', async () => {
  // ours has no NaN and no infinities, and shows no zeros at the end
  await agree(
    numberTexts.filter((text) => !/n/i.test(text)),
    'trim_scale(a::numeric)',
    (v) => [v],
    (v) => shown(call('cast', 'numeric', v)),
  )
})

test('text to double', async () => {
  // hexadecimal doubles are C's, not documented; ours has no -0
  const usual = numberTexts.filter((text) => !/x/i.test(text))
  await agree(
    usual,
    'a::float8 + 0',
    (v) => [v],
    (v) => {
      const answer = call('cast', 'double precision', v)
      return doubleShown(answer)
    },
  )
})

test('text to boolean', async () => {
  const texts = fc.oneof(
    fc.constantFrom(
      'true',
      'false',
      'yes',
      'no',
      'on',
      'off',
      '1',
      '0',
      'o',
      'of',
      ' T ',
      'YES',
      'nO',
      'tru',
      '',
      'truee',
      '10',
    ),
    fc.string({ unit: fc.constantFrom('t', 'r', 'u', 'f', 'o', 'n', 'y', '1', ' '), maxLength: 4 }),
  )
  await agree(
    texts,
    'a::boolean',
    (v) => [v],
    (v) => shown(call('cast', 'boolean', v)),
  )
})

/** A pattern that ends with its escape is always refused by ours; by PostgreSQL only when it comes to that end. */
const closed = words.filter((pattern) => !/(?<!\\)(?:\\\\)*\\$/.test(pattern))

for (const name of ['like', 'not like']) {
  test(`text ${name} pattern`, async () => {
    await agree(
      fc.tuple(words, closed),
      `a ${name} b`,
      ([a, b]) => [a, b],
      ([a, b]) => shown(call('operator', name, a, b)),
    )
  })
}

test('substring', async () => {
  const at = fc.integer({ min: -4, max: 10 })
  await agree(
    fc.tuple(words, at, at),
    'substring(a, b::int, c::int)',
    ([a, b, c]) => [a, String(b), String(c)],
    ([a, b, c]) => shown(call('function', 'substring', a, b, c)),
  )
  await agree(
    fc.tuple(words, at),
    'substring(a, b::int)',
    ([a, b]) => [a, String(b)],
    ([a, b]) => shown(call('function', 'substring', a, b)),
  )
})

test('length, trims, replace', async () => {
  await agree(
    words,
    'length(a)',
    (a) => [a],
    (a) => shown(call('function', 'length', a)),
  )
  for (const name of ['btrim', 'ltrim', 'rtrim']) {
    await agree(
      fc.tuple(words, words),
      `${name}(a, b)`,
      ([a, b]) => [a, b],
      ([a, b]) => shown(call('function', name, a, b)),
    )
    await agree(
      words,
      `${name}(a)`,
      (a) => [a],
      (a) => shown(call('function', name, a)),
    )
  }
  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 2 })
  await agree(
    fc.tuple(words, short, words),
    'replace(a, b, c)',
    ([a, b, c]) => [a, b, c],
    ([a, b, c]) => shown(call('function', 'replace', a, b, c)),
  )
})

const instants = fc
  .oneof(
    // years 12 to 9999, whose text PostgreSQL and ISO write alike, also of the begin of their decade
    fc.bigInt({ min: -61_788_441_600_000_000n, max: 253_402_300_799_999_999n }),
    fc.bigInt({ min: -4_000_000_000_000_000n, max: 4_000_000_000_000_000n }),
    fc.integer({ min: -2_000, max: 2_000 }).map((day) => BigInt(day) * 86_400_000_000n),
  )
  .map(formatTimestamp)

for (const unit of TRUNCATE_UNITS) {
  test(`date_trunc ${unit}`, async () => {
    await agree(
      instants,
      ISO(`date_trunc('${unit}', a::timestamptz)`),
      (v) => [v],
      (v) => asIso(call('function', 'date_trunc', unit, { time: v })),
    )
  })
}

for (const field of TIMESTAMP_FIELDS) {
  test(`extract ${field}`, async () => {
    // on Julian day 0 PostgreSQL's numeric has fewer digits than a double
    const min = field === 'julian' ? -210_866_716_800_000_000n : -210_866_803_200_000_000n
    const early = fc.bigInt({ min, max: -62_135_596_800_000_000n })
    await agree(
      fc.oneof(instants, early.map(formatTimestamp)),
      `extract(${field} FROM a::timestamptz)::float8`,
      (v) => [postgresTime(v)],
      (v) => doubleShown(call('function', 'extract', field, { time: v })),
    )
  })
}

/** ISO's years before Christ as PostgreSQL writes them. */
function postgresTime(text: string): string {
  const match = /^([+-]?\d+)(-.*)$/.exec(text)
  const year = Number(match?.[1])
  return year > 0 ? text : `${String(1 - year).padStart(4, '0')}${match?.[2]} BC`
}

test('to_timestamp of doubles', async () => {
  const seconds = fc.oneof(
    fc.double({ min: -60_000_000_000, max: 250_000_000_000, noNaN: true }),
    fc.double({ min: 1_700_000_000, max: 1_800_000_000, noNaN: true }),
    fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }).map((value) => value / 1_000),
  )
  await agree(
    seconds,
    ISO('to_timestamp(a::float8)'),
    (v) => [String(v)],
    (v) => asIso(call('function', 'to_timestamp', { double: v })),
  )
})

test('text to timestamptz', async () => {
  const two = (min: number, max: number): fc.Arbitrary<string> =>
    fc.integer({ min, max }).map((value) => String(value).padStart(2, '0'))
  const text = fc
    .record({
      year: fc.integer({ min: 1, max: 9_999 }).map((value) => String(value).padStart(4, '0')),
      month: two(0, 13),
      day: two(0, 32),
      separator: fc.constantFrom('T', ' ', 't', '  '),
      hour: two(0, 25),
      minute: two(0, 60),
      second: two(0, 60),
      // PostgreSQL rounds what is beyond six digits, ours cuts
      fraction: fc.constantFrom('', '.1', '.123', '.123456', '.'),
      zone: fc.constantFrom('', 'Z', 'z', ' Z', '+00', '+05:30', '-0530', '+15:59:59', '+16', '-11', ' +01:00'),
      form: fc.constantFrom('full', 'full', 'full', 'minutes', 'date', 'basic'),
    })
    .map(({ year, month, day, separator, hour, minute, second, fraction, zone, form }) => {
      if (form === 'date') return `${year}-${month}-${day}`
      if (form === 'minutes') return `${year}-${month}-${day}${separator}${hour}:${minute}${zone}`
      // PostgreSQL lets 250000 pass as one o'clock of the next day, and refuses 25:00:00
      if (form === 'basic' && Number(hour) < 24 && Number(minute) < 60)
        return `${year}${month}${day}T${hour}${minute}${second}${zone}`
      return `${year}-${month}-${day}${separator}${hour}:${minute}:${second}${fraction}${zone}`
    })
  await agree(
    text,
    ISO('a::timestamptz'),
    (v) => [v],
    (v) => asIso(call('cast', 'timestamptz', v)),
  )
})

test("date_trunc by a zone's clocks", async () => {
  const units = fc.constantFrom('minute', 'hour', 'day', 'week', 'month', 'quarter', 'year')
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC')
  // within some hours of a change of clocks, and anywhere
  const changes = ['2024-10-27T01:00:00Z', '2024-03-31T01:00:00Z', '2024-11-03T06:00:00Z', '2024-04-06T15:00:00Z']
  const near = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -2000, max: 2000 }))
    .map(([change, minutes]) => new Date(Date.parse(change) + minutes * 60_000).toISOString())
  const anywhere = fc.integer({ min: 0, max: 2e9 }).map((seconds) => new Date(seconds * 1000).toISOString())
  await agree(
    fc.tuple(units, fc.oneof(near, anywhere), zones),
    ISO('date_trunc(a, b::timestamptz, c)'),
    (values) => values,
    ([unit, text, zone]) => asIso(call('function', 'date_trunc', unit, { time: text }, zone)),
  )
})

test('lower and upper of ASCII, concatenation', async () => {
  const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 8 })
  await agree(
    ascii,
    'lower(a)',
    (a) => [a],
    (a) => shown(call('function', 'lower', a)),
  )
  await agree(
    ascii,
    'upper(a)',
    (a) => [a],
    (a) => shown(call('function', 'upper', a)),
  )
  await agree(
    fc.tuple(words, doubles.map(positiveZero)),
    'a || b::float8',
    ([a, b]) => [a, String(b)],
    ([a, b]) => shown(call('operator', '||', a, { double: b })),
  )
})

test('text order by bytes', async () => {
  await agree(
    fc.tuple(words, words),
    'a COLLATE "C" < b COLLATE "C"',
    ([a, b]) => [a, b],
    ([a, b]) => shown(call('operator', '<', a, b)),
  )
})

const leaves = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -9, max: 9 }).map((value) => value / 4),
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 2 }),
)
const keys = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 })
// an empty array sorts below everything in jsonb; ours is an array like others
const { list, dictionary } = fc.letrec<{ value: unknown; list: unknown[]; dictionary: Record<string, unknown> }>(
  (tie) => ({
    value: fc.oneof({ depthSize: 'small' }, leaves, tie('list'), tie('dictionary')),
    list: fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    dictionary: fc.dictionary(keys, tie('value'), { maxKeys: 3 }),
  }),
)

for (const [kind, values] of [
  ['arrays', list],
  ['objects', dictionary],
] as const) {
  test(`the order of ${kind} is that of jsonb`, async () => {
    const json = values.map((value) => JSON.stringify(value))
    await agree(
      fc.tuple(json, json),
      "CASE WHEN a::jsonb < b::jsonb THEN 'less' WHEN a::jsonb = b::jsonb THEN 'equal' ELSE 'greater' END",
      ([a, b]) => [a, b],
      ([a, b]) => {
        const holds = (operator: string): boolean => call('operator', operator, { json: a }, { json: b }) === true
        return holds('<') ? 'less' : holds('=') ? 'equal' : 'greater'
      },
    )
  })
}
