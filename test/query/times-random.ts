/** Random expressions of dates, timestamps, timestamptz and intervals, as text that both PostgreSQL and we read. */
import fc from 'fast-check'

const MAX_DEPTH = 3
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns']
const two = (value: number): string => String(value).padStart(2, '0')

const day = fc
  .oneof(
    fc.record({
      y: fc.integer({ min: 1, max: 9999 }),
      m: fc.integer({ min: 1, max: 12 }),
      d: fc.integer({ min: 1, max: 28 }),
    }),
    fc.record({
      y: fc.integer({ min: 1960, max: 2040 }),
      m: fc.integer({ min: 1, max: 12 }),
      d: fc.integer({ min: 1, max: 28 }),
    }),
    fc.constantFrom(
      { y: 2024, m: 2, d: 29 },
      { y: 2024, m: 12, d: 31 },
      { y: 2024, m: 3, d: 31 },
      { y: 2024, m: 10, d: 27 },
    ),
    fc.constantFrom(
      { y: 2000, m: 1, d: 1 },
      { y: 1900, m: 12, d: 31 },
      { y: 2001, m: 1, d: 1 },
      { y: 2020, m: 1, d: 31 },
    ),
  )
  .map(({ y, m, d }) => `${String(y).padStart(4, '0')}-${two(m)}-${two(d)}`)
const clock = fc
  .record({
    h: fc.integer({ min: 0, max: 23 }),
    m: fc.integer({ min: 0, max: 59 }),
    s: fc.integer({ min: 0, max: 59 }),
    f: fc.constantFrom('', '.5', '.000001', '.123456', '.999999'),
  })
  .map(({ h, m, s, f }) => `${two(h)}:${two(m)}:${two(s)}${f}`)
const time = fc
  .tuple(day, fc.oneof(clock, fc.constantFrom('00:00:00', '02:30:00', '23:59:59.999999')))
  .map(([d, c]) => `${d} ${c}`)

const zone = fc.constantFrom(...ZONES)
const whole = fc.integer({ min: -40, max: 40 })
const number = fc.oneof(
  whole.map(String),
  fc
    .constantFrom('0.5', '1.5', '-0.1', '0.3333', '2.25', '1e-3', '7.7', '-1e5')
    .map((text) => `${text}::double precision`),
)
const part = fc.oneof(
  fc
    .tuple(
      whole,
      fc.constantFrom('year', 'months', 'weeks', 'days', 'hours', 'min', 'sec', 'ms', 'us', 'mon', 'decades'),
    )
    .map(([count, unit]) => `${count} ${unit}`),
  fc.constantFrom(
    '1.5 months',
    '-0.25 days',
    '0.1 years',
    '2.7 weeks',
    '0.0000015 sec',
    '-1.7 hours',
    '24:00:00',
    '-00:00:01.5',
  ),
)
const intervalLiteral = fc
  .oneof(
    fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' ')),
    fc.constantFrom('P1Y2M3DT4H5M6.789S', 'PT36H', 'P-1M', '1-2', '@ 3 days ago', '2 days 3:04', '1:02.5', '90'),
  )
  .map((text) => `interval '${text}'`)

const FIELDS = [
  ...['epoch', 'millennium', 'century', 'decade', 'year', 'isoyear', 'quarter', 'month', 'week', 'day', 'doy', 'dow'],
  ...[
    'isodow',
    'hour',
    'minute',
    'second',
    'milliseconds',
    'microseconds',
    'julian',
    'timezone',
    'timezone_hour',
    'hours',
    'msec',
  ],
]
/** date_part of others rounds on the way to its double there. */
const WHOLE_FIELDS = FIELDS.filter((field) => !/^(epoch|julian|second|milliseconds|msec)$/.test(field))
const UNITS = [
  'microseconds',
  'milliseconds',
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
  'decade',
  'century',
  'millennium',
  'days',
  'mons',
]
const WIDTHS = ['15 minutes', '1 day', '7 hours', '10 days', '0.5 sec', '36 hours', '1 month'] as const

type Kind = 'date' | 'timestamp' | 'timestamptz' | 'interval' | 'number'

const PATTERNS = [
  ...[
    'YYYY',
    'YYY',
    'YY',
    'Y',
    'Y,YYY',
    'IYYY',
    'IYY',
    'IY',
    'I',
    'MM',
    'MON',
    'Mon',
    'mon',
    'MONTH',
    'Month',
    'month',
  ],
  ...[
    'DD',
    'DDD',
    'D',
    'DAY',
    'Day',
    'day',
    'DY',
    'Dy',
    'dy',
    'ID',
    'IDDD',
    'W',
    'WW',
    'IW',
    'CC',
    'J',
    'Q',
    'RM',
    'rm',
  ],
  ...[
    'HH24',
    'HH12',
    'HH',
    'MI',
    'SS',
    'MS',
    'US',
    'FF1',
    'FF3',
    'FF6',
    'SSSS',
    'SSSSS',
    'AM',
    'pm',
    'A.M.',
    'p.m.',
    'BC',
    'ad',
    'B.C.',
  ],
  ...[
    'yyyy',
    'hh24',
    'mi',
    'ddd',
    'iyyy',
    'q',
    'FMDD',
    'FMMonth',
    'FMMM',
    'FMYYYY',
    'FMHH12',
    'FMDay',
    'FMRM',
    'TMMonth',
    'DDth',
    'DDTH',
    'FMDDth',
    'YYYYth',
    'FMDDD',
  ],
  ...['"at DD"', '"a\\"b"', '-', '/', ' ', ':', ', ', 'x', 'T', '.'],
]
const templates = fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' '))

export const { value: timeExpression } = fc.letrec<{ value: string }>(() => ({
  value: fc
    .constantFrom<Kind>('date', 'timestamp', 'timestamptz', 'interval', 'number')
    .chain((kind) => expressionOf(kind, MAX_DEPTH)),
}))

function expressionOf(kind: Kind, depth: number): fc.Arbitrary<string> {
  const leaf = leafOf(kind)
  if (depth === 0) return leaf
  const inner = (of: Kind): fc.Arbitrary<string> =>
    fc.nat(1).chain((cut) => expressionOf(of, Math.max(0, depth - 1 - cut)))
  const anyTime = fc.constantFrom<Kind>('date', 'timestamp', 'timestamptz').chain(inner)
  const call = (template: string, ...args: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...args).map((texts) => template.replace(/\$(\d)/g, (_, index: string) => texts[Number(index) - 1] ?? ''))
  const unit = fc.constantFrom(...UNITS)
  const width = fc.constantFrom(...WIDTHS).map((text) => `interval '${text}'`)
  const common = [
    call('COALESCE($1, $2)', inner(kind), inner(kind)),
    call('GREATEST($1, $2)', inner(kind), inner(kind)),
    call('CASE WHEN $1 < $2 THEN $3 ELSE $4 END', anyTime, anyTime, inner(kind), inner(kind)),
    call('nullif($1, $2)', inner(kind), inner(kind)),
  ]
  switch (kind) {
    case 'date':
      return fc.oneof(
        leaf,
        call('($1 + $2)', inner('date'), whole.map(String)),
        call('($2 - $1)', whole.map(String), inner('date')),
        call('$1::date', anyTime),
        call(
          'make_date($1, $2, $3)',
          whole.map((year) => String(2000 + year)),
          whole.map(String),
          whole.map(String),
        ),
        ...common,
      )
    case 'timestamp':
      return fc.oneof(
        leaf,
        call('($1 + $2)', inner('timestamp'), inner('interval')),
        call('($1 - $2)', inner('date'), inner('interval')),
        call('($2 + $1)', inner('date'), inner('interval')),
        call('$1::timestamp', anyTime),
        call("($1 AT TIME ZONE '$2')", inner('timestamptz'), zone),
        call("date_trunc('$2', $1)", inner('timestamp'), unit),
        call('date_bin($1, $2, $3)', width, inner('timestamp'), inner('timestamp')),
        call(
          'make_timestamp(2024, $1, $2, $3, $4, $5)',
          ...[12, 28, 23, 59, 59].map((max) => fc.integer({ min: 1, max }).map(String)),
        ),
        ...common,
      )
    case 'timestamptz':
      return fc.oneof(
        leaf,
        call('($1 + $2)', inner('timestamptz'), inner('interval')),
        call('($1 - $2)', inner('timestamptz'), inner('interval')),
        call('$1::timestamptz', anyTime),
        call("($1 AT TIME ZONE '$2')", inner('timestamp'), zone),
        call('($1 AT TIME ZONE $2)', inner('timestamp'), leafOf('interval')),
        call("date_trunc('$2', $1)", fc.constantFrom<Kind>('date', 'timestamptz').chain(inner), unit),
        call("date_trunc('$2', $1, '$3')", inner('timestamptz'), unit, zone),
        call('date_bin($1, $2, $3)', width, inner('timestamptz'), anyTime),
        call(
          "make_timestamptz(2024, $1, $2, $3, $4, $5, '$6')",
          ...[12, 28, 23, 59, 59].map((max) => fc.integer({ min: 1, max }).map(String)),
          zone,
        ),
        ...common,
      )
    case 'interval':
      return fc.oneof(
        leaf,
        call('($1 + $2)', inner('interval'), inner('interval')),
        call('($1 - $2)', inner('interval'), inner('interval')),
        call('(- $1)', inner('interval')),
        call('($1 * $2)', inner('interval'), number),
        call('($1 * $2)', number, inner('interval')),
        call('($1 / $2)', inner('interval'), number),
        call('($1 - $2)', inner('timestamp'), anyTime),
        call('($1 - $2)', inner('timestamptz'), anyTime),
        call('age($1, $2)', anyTime, anyTime),
        call('justify_hours($1)', inner('interval')),
        call('justify_days($1)', inner('interval')),
        call('justify_interval($1)', inner('interval')),
        call("date_trunc('$2', $1)", inner('interval'), unit),
        call(
          'make_interval($1, $2, $3, $4, $5, $6, $7)',
          ...Array.from({ length: 6 }, () => whole.map(String)),
          number,
        ),
        call('make_interval(days => $1, hours => $2)', whole.map(String), whole.map(String)),
        ...common,
      )
    default:
      return fc.oneof(
        call('extract($2 FROM $1)::double precision', fc.oneof(anyTime, inner('interval')), fc.constantFrom(...FIELDS)),
        call("date_part('$2', $1)", fc.oneof(anyTime, inner('interval')), fc.constantFrom(...WHOLE_FIELDS)),
        call('($1 - $2)', inner('date'), inner('date')),
        call("to_char($1, '$2')", anyTime, templates),
        call("to_char($1, '$2')", anyTime, templates),
      )
  }
}

function leafOf(kind: Kind): fc.Arbitrary<string> {
  switch (kind) {
    case 'date':
      return day.map((text) => `date '${text}'`)
    case 'timestamp':
      return time.map((text) => `timestamp '${text}'`)
    case 'timestamptz':
      return fc
        .tuple(time, fc.constantFrom('', 'Z', '+02', '-05:30'))
        .map(([text, offset]) => `timestamptz '${text}${offset}'`)
    case 'interval':
      return intervalLiteral
    default:
      return number
  }
}
