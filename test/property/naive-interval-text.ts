/** Owns the texts of intervals that the naive evaluator reads. */
import { RowError, Span } from './value.ts'

const MINUTE = 60_000_000n
const DAY = 24n * 60n * MINUTE

/** A number alone is seconds; of other texts the few that are generated, and what joining numbers makes. */
const SPAN_TEXTS: Readonly<Record<string, readonly [months: number, days: number, micros: bigint]>> = {
  '1 day': [0, 1, 0n],
  '-1 days': [0, -1, 0n],
  '24:00:00': [0, 0, DAY],
  '-00:00:01.5': [0, 0, -1_500_000n],
  '1 mon': [1, 0, 0n],
  '30 days': [0, 30, 0n],
  '1 year 2 mons -3 days +04:05:06.7': [14, -3, 14_706_700_000n],
  '1.5 months': [1, 15, 0n],
  PT36H: [0, 0, 36n * 60n * MINUTE],
  '3000000 hours': [0, 0, 3_000_000n * 60n * MINUTE],
  '-178000000 years': [-2_136_000_000, 0, 0n],
}
export const SPANS: readonly string[] = Object.keys(SPAN_TEXTS)

/** Years and months, which joined numbers may be: `-2-2`. */
const YEARS_MONTHS = /^\s*([+-]?)(\d+)-(\d+)\s*$/

/** No interval is written so long. */
const TEXT_LENGTH_MAX = 200

type Unit = readonly [part: 'months' | 'days' | 'micros', size: bigint]

/** Those that a number may be joined with. */
const UNITS: Readonly<Record<string, Unit>> = {
  millennium: ['months', 12_000n],
  century: ['months', 1_200n],
  decade: ['months', 120n],
  year: ['months', 12n],
  month: ['months', 1n],
  week: ['days', 7n],
  day: ['days', 1n],
  hour: ['micros', 60n * MINUTE],
  minute: ['micros', MINUTE],
  second: ['micros', 1_000_000n],
  millisecond: ['micros', 1_000n],
  microsecond: ['micros', 1n],
}
/** The words of an interval's own text. */
const UNIT_NAMES: Readonly<Record<string, string>> = { years: 'year', mons: 'month', mon: 'month', days: 'day' }
/** As an interval's own text ends. */
const CLOCK = /(^|\s)([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/
const CLOCK_UNITS: readonly string[] = ['hour', 'minute', 'second', 'millisecond', 'microsecond']
const QUANTITY = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?\s*([a-z]*)[\s,]*/i
type Parts = readonly [months: bigint, days: bigint, micros: bigint]

export function readSpanText(text: string): Span {
  if (text.length > TEXT_LENGTH_MAX) throw new RowError('invalid_cast')
  const known = Object.hasOwn(SPAN_TEXTS, text) ? SPAN_TEXTS[text] : undefined
  if (known !== undefined) return new Span(...known)
  const [, sign, years = '', months = ''] = YEARS_MONTHS.exec(text) ?? []
  if (sign !== undefined) {
    if (BigInt(months) >= 12n) throw new RowError('invalid_cast')
    const total = BigInt(years) * 12n + BigInt(months)
    return toSpan([sign === '-' ? -total : total, 0n, 0n])
  }
  return toSpan(readQuantitiesAndClock(text.trim()))
}

function readQuantitiesAndClock(text: string): Parts {
  const [all, , sign, hours = '', minutes = '', seconds = '', fraction = ''] = CLOCK.exec(text) ?? []
  if (all === undefined) return readQuantities(text, [])
  if (Number(minutes) > 59 || Number(seconds) > 59) throw new RowError('invalid_cast')
  const clock =
    BigInt(hours) * 60n * MINUTE +
    BigInt(minutes) * MINUTE +
    BigInt(seconds) * 1_000_000n +
    BigInt(fraction.padEnd(6, '0'))
  const before = text.slice(0, -all.length)
  const [months, days, micros] = before === '' ? [0n, 0n, 0n] : readQuantities(before, CLOCK_UNITS)
  return [months, days, sign === '-' ? micros - clock : micros + clock]
}

/** Numbers with units, each unit once and none that is `taken`; one without any is the last, and seconds. */
function readQuantities(text: string, taken: readonly string[]): Parts {
  const seen = new Set<string>(taken)
  let sums: Parts = [0n, 0n, 0n]
  let rest = text
  do {
    const [all = '', sign, whole = '', fraction = '', word = ''] = QUANTITY.exec(rest) ?? []
    rest = rest.slice(all.length)
    const written = word === '' && rest === '' ? 'second' : word.toLowerCase()
    const name = UNIT_NAMES[written] ?? written
    if (sign === undefined || !Object.hasOwn(UNITS, name)) throw new RowError('invalid_cast')
    const named = name === 'second' && Number(fraction) > 0 ? ['second', 'millisecond', 'microsecond'] : [name]
    if (named.some((one) => seen.has(one))) throw new RowError('invalid_cast')
    for (const one of named) seen.add(one)
    const added = quantityOf(whole, fraction, UNITS[name] as Unit)
    sums = sums.map((sum, index) =>
      sign === '-' ? sum - (added[index] ?? 0n) : sum + (added[index] ?? 0n),
    ) as unknown as Parts
  } while (rest !== '')
  return sums
}

/** A fraction goes down: of years to whole months, of months and weeks to days, of days to microseconds. It is a double, as PostgreSQL has it. */
function quantityOf(whole: string, fraction: string, [part, size]: Unit): Parts {
  const count = BigInt(whole === '' ? '0' : whole) * size
  const rest = Number(`0.${fraction}`) * Number(size)
  if (part === 'micros') return [0n, 0n, count + halfDown(rest)]
  if (part === 'months' && size > 1n) return [count + halfToEven(rest), 0n, 0n]
  const days = part === 'months' ? rest * 30 : rest
  const micros = halfDown((days % 1) * Number(DAY))
  const wholeDays = BigInt(Math.trunc(days))
  return part === 'months' ? [count, wholeDays, micros] : [0n, count + wholeDays, micros]
}

function halfDown(value: number): bigint {
  return BigInt(Math.ceil(value - 0.5))
}

function halfToEven(value: number): bigint {
  const below = BigInt(Math.floor(value))
  return value % 1 === 0.5 ? below + (below % 2n) : BigInt(Math.round(value))
}

function toSpan([months, days, micros]: Parts): Span {
  const isWide = (value: bigint, bits: number): boolean => BigInt.asIntN(bits, value) !== value
  if (isWide(months, 32) || isWide(days, 32) || isWide(micros, 64)) throw new RowError('invalid_cast')
  return new Span(Number(months), Number(days), micros)
}
