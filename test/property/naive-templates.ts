/** Owns the templates that random expressions have, and the naive evaluator's calls with them. */
import { numberOf, strict, textOf, wrongKind, type NaiveFunction } from './naive-call.ts'
import { writeNumber } from './naive-number-template.ts'
import { decimalOfText, int64, toDouble } from './naive-numbers.ts'
import { MONTHS, readNumber, readTime } from './naive-template-reads.ts'
import { isTimeValue } from './naive-intervals.ts'
import {
  isNumber,
  microsOf,
  Time,
  timeOf,
  toCivil,
  toDay,
  toDays,
  toDecimal,
  type NumberValue,
  type Value,
} from './value.ts'

export const NUMBER_TEMPLATES = [
  ...['999', '0999', '9,999.99', '9,990.00', 'FM999,990.00', 'FM9990.099', 'S9999', '9999MI', 'FM999MI', '999.9PR'],
  ...['9.99EEEE', 'FMRN', 'L999G990D9', 'FM99999th', '"n="999', 'FM99999999999990', 'SG999', '999.9S', 'FM0000'],
]
/** With a bigint it may be none any more. */
const SHIFTED = ['99V99', 'FM9999V9']
export const BIGINT_TEMPLATES = [...NUMBER_TEMPLATES, ...SHIFTED]
export const READ_NUMBER_TEMPLATES = ['999', '9,999.99', 'S999', '999MI', 'L999.9', '99PR', 'RN', '99V9', '999th']
export const READ_TIME_TEMPLATES = [
  ...[
    'YYYY-MM-DD',
    'YYYY-MM-DD HH24:MI:SS',
    'YYYYMMDD',
    'YY-MM-DD',
    'HH24:MI',
    'YYYY DDD',
    'DD Mon YYYY',
    'DD/MM/YYYY',
  ],
]
export const WRITE_TIME_TEMPLATES = [
  'YYYY-MM-DD',
  'HH24:MI:SS.MS',
  'FMDD Mon YYYY',
  'Q DDD',
  '"at" HH12 AM',
  'YYYYMMDD',
]

function writeTime(micros: bigint, template: string): string {
  const { year, month, day, days, rest } = toCivil(new Time(micros))
  const pad = (value: number | bigint, width: number): string => String(value).padStart(width, '0')
  const hour = Number(rest / 3_600_000_000n)
  const shown = pad(year > 0 ? year : 1 - year, 4)
  const month3 = MONTHS[month - 1] ?? ''
  switch (template) {
    case 'YYYY-MM-DD':
      return `${shown}-${pad(month, 2)}-${pad(day, 2)}`
    case 'YYYYMMDD':
      return `${shown}${pad(month, 2)}${pad(day, 2)}`
    case 'HH24:MI:SS.MS': {
      const [minutes, seconds] = [(rest / 60_000_000n) % 60n, (rest / 1_000_000n) % 60n]
      return `${pad(hour, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad((rest / 1_000n) % 1_000n, 3)}`
    }
    case 'FMDD Mon YYYY':
      return `${day} ${month3.slice(0, 1).toUpperCase()}${month3.slice(1)} ${shown}`
    case 'Q DDD':
      return `${Math.ceil(month / 3)} ${pad(days - toDays(year, 1, 1) + 1, 3)}`
    default:
      return `at ${pad(hour % 12 === 0 ? 12 : hour % 12, 2)} ${hour < 12 ? 'AM' : 'PM'}`
  }
}

/** A record's double counts as the decimal that was written; whole ones are integers. */
function asWritten(value: NumberValue): NumberValue {
  if (typeof value !== 'number' || !Number.isFinite(value)) return value
  return Number.isInteger(value) ? BigInt(value) : decimalOfText(value.toExponential())
}

const ofNumber = (change: (value: NumberValue) => NumberValue): NaiveFunction =>
  strict(([value, template]) => writeNumber(change(numberOf(value)), textOf(template)))

function showTimeBy(value: Value | undefined, template: Value | undefined): string {
  if (value === undefined || !isTimeValue(value)) throw wrongKind()
  return writeTime(microsOf(value), textOf(template))
}

export const NAIVE_TEMPLATES: Readonly<Record<string, NaiveFunction>> = {
  to_char: strict(([value, template]) => showTimeBy(value, template)),
  to_char_bigint: strict(([value, template]) => {
    const [number, text] = [toDecimal(numberOf(value)).unscaled, textOf(template)]
    const shift = text.split('V')[1]?.length ?? 0
    int64(number * 10n ** BigInt(shift))
    return writeNumber(number, text)
  }),
  to_char_numeric: ofNumber((value) => value),
  to_char_double: ofNumber(toDouble),
  to_char_number: ofNumber(asWritten),
  to_char_any: strict(([value = null, template]) =>
    isNumber(value) ? writeNumber(asWritten(value), textOf(template)) : showTimeBy(value, template),
  ),
  to_number: strict(([text, template]) => readNumber(textOf(text), textOf(template))),
  to_timestamp_template: strict(([text, template]) => {
    const { day, seconds } = readTime(textOf(text), textOf(template))
    return timeOf(day, BigInt(seconds) * 1_000_000n)
  }),
  to_date: strict(([text, template]) => toDay(readTime(textOf(text), textOf(template)).day)),
}
