/** PostgreSQL as the oracle (postgres-oracle.ts): to_char, to_number, to_timestamp and to_date by random templates. */
import fc from 'fast-check'
import { test } from 'vitest'
import { formatLocalTimestamp, formatTimestamp } from '../../../src/core/timestamp-format.ts'
import { DATE_MAX, dayOfDate, TIMESTAMP_MAX } from '../../../src/core/timestamp-calendar.ts'
import { type Answer, call } from './call.ts'
import { agree, doubles, int64, positiveZero, shown, startPostgres } from './postgres-oracle.ts'

startPostgres()

const common = fc.constantFrom('9', '9', '9', '9', '0', '0', '.', ',', '99', '999', '990', '.99', '.00', 'D9', 'G9')
const rare = fc.constantFrom(
  ...['FM', 'S', 'MI', 'PL', 'SG', 'PR', 'V', 'V99', 'EEEE', 'RN', 'rn', 'TH', 'th', 'L', 'G', 'D', 'B', 'C', 'SP'],
  ...['fm', 's', 'mi', 'pl', 'sg', 'pr', 'v9', 'eeee', 'l', 'g', 'd', ' ', 'é', 'x', '"a9"', '\\"', '"q\\"', '\\', '/'],
)
const loose = fc.array(fc.oneof({ weight: 3, arbitrary: common }, rare), { maxLength: 7 })
const numberTemplates = fc.oneof(
  loose.map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('', 'FM', 'S', 'FMS', 'L', 'SG', 'MI', 'FMMI', 'PL', '"n="'),
      fc.constantFrom('9', '999', '990', '0999', '9,999', '999G990', '99999999999', '0', '00', 'FM9999999990', ''),
      fc.constantFrom('', '', '.9', '.99', '.00', 'D990', '.9990999', '.', 'V9', 'V99'),
      fc.constantFrom('', '', 'S', 'MI', 'PL', 'SG', 'PR', 'TH', 'th', 'EEEE', ' x', 'RN'),
    )
    .map((parts) => parts.join('')),
)
const smallNumbers = fc.integer({ min: -20_000, max: 20_000 })
const numerics = fc
  .tuple(
    fc.oneof(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), smallNumbers.map(BigInt)),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([digits, scale]) => {
    const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
    const sign = digits < 0n ? '-' : ''
    return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
  })

test('to_char of bigints', async () => {
  await agree(
    fc.tuple(fc.oneof(int64, smallNumbers.map(BigInt)), numberTemplates),
    'to_char(a::bigint, b)',
    ([value, template]) => [String(value), template],
    ([value, template]) => shown(call('function', 'to_char', value, template)),
  )
})

test('to_char of numerics', async () => {
  await agree(
    fc.tuple(numerics, numberTemplates),
    'to_char(a::numeric, b)',
    (row) => row,
    ([value, template]) => shown(call('function', 'to_char', { numeric: value }, template)),
  )
})

test('to_char of doubles', async () => {
  const values = fc.oneof(
    doubles.map(positiveZero),
    fc.constantFrom(NaN, Infinity, -Infinity, 2.5, 0.125, 99.5, -0.5, 9.995),
  )
  await agree(
    fc.tuple(values, numberTemplates),
    'to_char(a::float8, b)',
    ([value, template]) => [String(value), template],
    ([value, template]) => shown(call('function', 'to_char', { double: value }, template)),
  )
})

const digitTexts = fc
  .array(
    fc.oneof(
      fc.constantFrom('1', '2', '30', '456', '7890', '0', '.', ',', '.5', '-', '+', ' '),
      fc.constantFrom('<', '>', 'é', '€', '$', 'th', 'x', 'XIV', 'iii', 'M', '12', '9'),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

/** Without the zeros at its end that ours doesn't keep. */
const trimmed = (expression: string): string => `trim_scale(${expression})`

test('to_number', async () => {
  await agree(
    fc.tuple(digitTexts, numberTemplates),
    trimmed('to_number(a, b)'),
    (row) => row,
    (row) => shown(call('function', 'to_number', ...row)),
  )
})

test('to_number reads what to_char writes', async () => {
  await agree(
    fc.tuple(fc.oneof(int64, smallNumbers.map(BigInt)), numberTemplates),
    trimmed('to_number(to_char(a::bigint, b), b)'),
    ([value, template]) => [String(value), template],
    ([value, template]) => {
      const text = call('function', 'to_char', value, template)
      return typeof text === 'string' ? shown(call('function', 'to_number', text, template)) : 'refused'
    },
  )
})

const timeFields = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('YYYY', 'MM', 'DD', 'HH24', 'MI', 'SS', 'Mon', 'Month', 'YY', 'US', 'MS') },
  fc.constantFrom(
    ...[
      'DDD',
      'D',
      'WW',
      'W',
      'IW',
      'IYYY',
      'IYY',
      'IY',
      'I',
      'ID',
      'IDDD',
      'Q',
      'J',
      'CC',
      'YYY',
      'Y',
      'Y,YYY',
      'RM',
      'rm',
    ],
    ...[
      'AM',
      'p.m.',
      'HH',
      'HH12',
      'BC',
      'a.d.',
      'SSSS',
      'SSSSS',
      'FF1',
      'FF3',
      'FF6',
      'TZH',
      'TZM',
      'OF',
      'Day',
      'DY',
      'dy',
    ],
    ...['yyyy', 'mm', 'dd', 'hh24', 'month', 'MON', 'DAY', 'fxDD', 'FX'],
  ),
)
const between = fc.constantFrom(
  '-',
  '-',
  '/',
  ' ',
  ' ',
  ':',
  '',
  '.',
  ',',
  '  ',
  'T',
  '"T"',
  '"at "',
  'th',
  'TH',
  '\\"',
  'x',
  '5',
  'é',
)
const timeTemplates = fc
  .array(fc.tuple(fc.constantFrom('', '', '', '', 'FM', 'fm', 'TM'), timeFields, between), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.flat().join(''))
const usual = fc.constantFrom(
  'YYYY-MM-DD HH24:MI:SS',
  'DD/Mon/YYYY:HH24:MI:SS TZHTZM',
  'YYYYMMDD',
  'YYYYMMDDHH24MISSMS',
  'DD Month YYYY',
  'Day, DD Mon YYYY HH:MI AM',
  'FMMonth FMDDth, YYYY',
  'YYYY-MM-DD"T"HH24:MI:SS.USOF',
  'IYYY-IW-ID',
  'YYYY-DDD',
  'FXYYYY-MM-DD',
  'YY-MM-DD',
  'J',
)
const instants = fc
  .oneof(
    fc.integer({ min: -62_000_000_000, max: 60_000_000_000 }),
    fc.integer({ min: 900_000_000, max: 1_900_000_000 }),
    fc.integer({ min: -210_000_000_000, max: 230_000_000_000 }),
  )
  .chain((seconds) =>
    fc.constantFrom(0, 120_000, 123_456, 999_999).map((rest) => BigInt(seconds) * 1_000_000n + BigInt(rest)),
  )

// an interval is multiplied as a double
const ofMicroseconds = (zone: string): string =>
  `timestamp${zone} '1970-01-01' + (a::bigint / 1000000) * interval '1 second' + (a::bigint % 1000000) * interval '1 microsecond'`

test('to_char of times', async () => {
  const templates = fc.oneof(
    usual,
    timeTemplates,
    fc.array(between, { maxLength: 3 }).map((parts) => `TZ${parts.join('tz')}SP`),
  )
  await agree(
    fc.tuple(instants, templates),
    `to_char(${ofMicroseconds('tz')}, b)`,
    ([value, template]) => [String(value), template],
    ([value, template]) => shown(call('function', 'to_char', { time: formatTimestamp(value) }, template)),
  )
  await agree(
    fc.tuple(instants, templates),
    `to_char(${ofMicroseconds('')}, b)`,
    ([value, template]) => [String(value), template],
    ([value, template]) => shown(call('function', 'to_char', { local: formatLocalTimestamp(value) }, template)),
  )
})

const pieces = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('2026', '01', '2', '31', '29', '12', '24', '59', '5', '0', '366', '99', '1'),
  },
  { weight: 2, arbitrary: fc.constantFrom('-', '/', ' ', ':', '.', ',', '  ', '+', 'T', '\t') },
  fc.constantFrom(
    ...['Jan', 'january', 'MAY', 'feb', 'Sunday', 'Mon', 'tue', 'iv', 'XII', 'am', 'PM', 'p.m.', 'BC', 'a.d.'],
    ...[
      '2000',
      '1999',
      '2451545',
      '12345678901',
      '123456',
      '1st',
      '2nd',
      'é',
      'x',
      '-5',
      '+02',
      '05:30',
      '1,999',
      '20260131',
    ],
  ),
)
const timeTexts = fc.array(pieces, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(''))

/** Days since 1970, of years that the language's own dates don't reach. */
function dayNumber(text: string): number {
  const [, year, month, dayInMonth] = /^([+-]?\d+)-(\d\d)-(\d\d)/.exec(text) ?? []
  return dayOfDate(Number(year), Number(month), Number(dayInMonth))
}

function day(answer: Answer): string | null {
  if (answer === null || typeof answer !== 'object' || !('date' in answer)) return shown(answer)
  return String(dayNumber(answer.date))
}

function microseconds(answer: Answer): string | null {
  if (answer === null || typeof answer !== 'object' || !('time' in answer)) return shown(answer)
  const [, hour = 0, minute = 0, second = 0, rest = ''] = /T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z$/.exec(answer.time) ?? []
  const seconds = dayNumber(answer.time) * 86_400 + Number(hour) * 3_600 + Number(minute) * 60 + Number(second)
  return String(BigInt(seconds) * 1_000_000n + BigInt(rest.padEnd(6, '0')))
}

/** Ours refuses what lies behind its last time, which is before PostgreSQL's (docs/SQL.md). */
function orTooLate(ours: string | null, theirs: string | null, last: bigint): string | null {
  return ours === 'refused' && /^\d+$/.test(theirs ?? '') && BigInt(theirs ?? 0) > last ? theirs : ours
}

const THEIR_DAY = (expression: string): string => `${expression} - date '1970-01-01'`
const THEIR_MICROSECONDS = (expression: string): string => `(extract(epoch from ${expression}) * 1000000)::bigint`

/** PostgreSQL computes days before Julian day 0 without a sign, and those of years of seven digits in 32 bits. */
function isNoOverflow([text, template]: readonly [string, string]): boolean {
  return !/[JI]/i.test(template) || !/-|\d{7}/.test(text)
}

test('to_date and to_timestamp of any texts', async () => {
  for (const templates of [usual, timeTemplates]) {
    const rows = fc.tuple(timeTexts, templates).filter(isNoOverflow)
    await agree(
      rows,
      THEIR_DAY('to_date(a, b)'),
      (row) => row,
      (row, theirs) => orTooLate(day(call('function', 'to_date', ...row)), theirs, BigInt(DATE_MAX)),
    )
    await agree(
      rows,
      THEIR_MICROSECONDS('to_timestamp(a, b)'),
      (row) => row,
      (row, theirs) => orTooLate(microseconds(call('function', 'to_timestamp', ...row)), theirs, TIMESTAMP_MAX),
    )
  }
})

test('to_timestamp reads what to_char writes', async () => {
  const read = async (templates: fc.Arbitrary<readonly [string, string]>): Promise<void> => {
    const rows = fc
      .tuple(instants, templates)
      .map(([value, [write, template]]) => {
        const text = call('function', 'to_char', { time: formatTimestamp(value) }, write)
        return [typeof text === 'string' ? text : '', template] as const
      })
      .filter(isNoOverflow)
    await agree(
      rows,
      THEIR_MICROSECONDS('to_timestamp(a, b)'),
      (row) => row,
      (row, theirs) => orTooLate(microseconds(call('function', 'to_timestamp', ...row)), theirs, TIMESTAMP_MAX),
    )
  }
  await read(fc.oneof(usual, timeTemplates).map((template) => [template, template] as const))
  await read(fc.tuple(fc.oneof(usual, timeTemplates), fc.oneof(usual, timeTemplates)))
})
