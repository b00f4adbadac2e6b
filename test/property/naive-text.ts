/** Owns the naive evaluator's texts: how values are read from them, and patterns. */
import { decimalOfText, int64 } from './naive-numbers.ts'
import {
  type Day,
  type Decimal,
  doubleOfText,
  Local,
  normalize,
  RowError,
  type Time,
  timeOf,
  toDay,
  toDays,
} from './value.ts'

const BLANKS = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g

const INTEGER = /^([+-]?)(\d+(?:_\d+)*|0x(?:_?[\da-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+)$/i

/** PostgreSQL's forms of a bigint. */
export function readBigint(text: string): bigint {
  const match = INTEGER.exec(text.replaceAll(BLANKS, ''))
  if (match === null) throw new RowError('invalid_cast')
  const magnitude = BigInt((match[2] ?? '').replaceAll('_', ''))
  return int64(match[1] === '-' ? -magnitude : magnitude)
}

/** PostgreSQL's forms of a double. */
export function readDouble(text: string): number {
  const trimmed = text.replaceAll(BLANKS, '')
  if (/^nan$/i.test(trimmed)) return NaN
  const infinite = /^([+-]?)inf(inity)?$/i.exec(trimmed)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) throw new RowError('invalid_cast')
  return doubleOfText(trimmed)
}

/** PostgreSQL's forms of a numeric, but NaN and the infinities. */
export function readNumeric(text: string): bigint | Decimal {
  const trimmed = text.replaceAll(BLANKS, '')
  const integer = INTEGER.exec(trimmed)
  if (integer !== null) {
    const magnitude = BigInt((integer[2] ?? '').replaceAll('_', ''))
    return integer[1] === '-' ? -magnitude : magnitude
  }
  if (/^(nan|[+-]?inf(inity)?)$/i.test(trimmed)) throw new RowError('number_out_of_range')
  const digits = trimmed.replaceAll(/(?<=\d)_(?=\d)/g, '').toLowerCase()
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(digits)) throw new RowError('invalid_cast')
  if (Math.abs(Number(/e(.*)/.exec(digits)?.[1] ?? 0)) > 10_000) throw new RowError('number_out_of_range')
  const decimal = normalize(decimalOfText(digits))
  return decimal.scale === 0 ? decimal.unscaled : decimal
}

const TRUE_WORDS = ['t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1']
const FALSE_WORDS = ['f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0']

export function readBoolean(text: string): boolean {
  const word = text.replaceAll(BLANKS, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (TRUE_WORDS.includes(word)) return true
  if (FALSE_WORDS.includes(word)) return false
  throw new RowError('invalid_cast')
}

const DATE = /^(?:([+-]?\d{4,6})-(\d\d)-(\d\d)|([+-]?\d{4,6})-(\d{3})|(\d{4})(\d\d)(\d\d))/
const CLOCK = /^(?:[Tt]| +)(\d\d)(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d*))?)?/
const ZONE = /^ *(?:[Zz]|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)/

/** ISO 8601: no zone is UTC, more than six digits of a second are cut. */
export function readTime(given: string): Time {
  const { days, clock, offset } = readParts(given)
  return timeOf(days, clock - offset)
}

/** The offset counts for nothing. */
export function readLocal(given: string): Local {
  const { days, clock } = readParts(given)
  return new Local(timeOf(days, clock).micros)
}

export function readDay(given: string): Day {
  return toDay(readParts(given).days)
}

function readParts(given: string): { readonly days: number; readonly clock: bigint; readonly offset: bigint } {
  const text = given.replaceAll(BLANKS, '')
  const date = DATE.exec(text)
  if (text.length > 100 || date === null) throw new RowError('invalid_cast')
  let rest = text.slice(date[0].length)
  const clock = clockOf(rest)
  rest = rest.slice(clock.length)
  const zone = ZONE.exec(rest)
  rest = rest.slice(zone?.[0].length ?? 0)
  const christ = /^ +bc$/i.test(rest)
  if (rest !== '' && !christ) throw new RowError('invalid_cast')
  const days = daysOf(date, christ)
  return { days, clock: clock.micros, offset: offsetOf(zone) }
}

function daysOf(date: RegExpExecArray, christ: boolean): number {
  const written = Number(date[1] ?? date[4] ?? date[6])
  if (christ && written <= 0) throw new RowError('invalid_cast')
  const year = christ ? 1 - written : written
  if (date[5] !== undefined) {
    const day = Number(date[5])
    if (day < 1 || day > toDays(year + 1, 1, 1) - toDays(year, 1, 1)) throw new RowError('invalid_cast')
    return toDays(year, 1, day)
  }
  const [month, day] = [Number(date[2] ?? date[7]), Number(date[3] ?? date[8])]
  if (month < 1 || month > 12 || day < 1 || toDays(year, month, day) >= toDays(year, month + 1, 1))
    throw new RowError('invalid_cast')
  return toDays(year, month, day)
}

function clockOf(text: string): { readonly length: number; readonly micros: bigint } {
  const match = CLOCK.exec(text)
  if (match === null) return { length: 0, micros: 0n }
  const [whole, hour, , minute, second = '0', fraction = ''] = match
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const micros = BigInt(seconds) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
  const valid = Number(hour) <= 24 && Number(minute) <= 59 && Number(second) <= 60 && micros <= 86_400_000_000n
  if (!valid) throw new RowError('invalid_cast')
  return { length: whole.length, micros }
}

function offsetOf(zone: RegExpExecArray | null): bigint {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = zone ?? []
  if (Number(hours) > 15 || Number(minutes) > 59 || Number(seconds) > 59) throw new RowError('invalid_cast')
  const total = BigInt(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1_000_000n
  return sign === '-' ? -total : total
}

/** Whether the whole text matches. Errors: invalid_argument for a pattern that ends with its escape. */
export function matchesLike(text: string, pattern: string, folds: boolean): boolean {
  const [subject, wanted] = (folds ? [text.toLowerCase(), pattern.toLowerCase()] : [text, pattern]).map((one) => [
    ...one,
  ])
  // for each place of the text: whether the pattern so far matches what is before it
  let reached = (subject as string[]).map(() => false)
  reached.unshift(true)
  for (let index = 0; index < (wanted as string[]).length; index++) {
    let character = wanted?.[index]
    const isEscaped = character === '\\'
    if (isEscaped) character = wanted?.[++index]
    if (character === undefined) throw new RowError('invalid_argument')
    const before = reached
    if (!isEscaped && character === '%') {
      const first = before.indexOf(true)
      reached = before.map((_, place) => first >= 0 && place >= first)
    } else {
      const isAny = !isEscaped && character === '_'
      reached = before.map(
        (_, place) => place > 0 && before[place - 1] === true && (isAny || subject?.[place - 1] === character),
      )
    }
  }
  return reached.at(-1) === true
}

/** PostgreSQL's: of the characters from..from+count-1 those that are there. */
export function substring(text: string, from: number, count: number): string {
  const characters = [...text]
  const end = Math.min(from + count, characters.length + 1)
  const start = Math.max(from, 1)
  return end <= start ? '' : characters.slice(start - 1, end - 1).join('')
}

export function trim(text: string, set: string, head: boolean, tail: boolean): string {
  const characters = [...text]
  const unwanted = new Set(set)
  const isUnwanted = (character: string | undefined) => character !== undefined && unwanted.has(character)
  if (head) while (isUnwanted(characters[0])) characters.shift()
  if (tail) while (isUnwanted(characters.at(-1))) characters.pop()
  return characters.join('')
}

/** The steps of a path in braces; bare ones, or quoted with backslashes. */
export function readPath(text: string): string[] {
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1]
  if (inner === undefined) throw new RowError('invalid_argument')
  if (inner.trim() === '') return []
  const steps: string[] = []
  let rest = inner
  for (;;) {
    const match = /^\s*(?:"((?:[^"\\]|\\[^])*)"|((?:[^",{}\\]|\\[^])+?))\s*(,|$)/.exec(rest)
    const bare = match?.[2]?.trim()
    if (match === null || bare === '' || bare?.toLowerCase() === 'null') throw new RowError('invalid_argument')
    steps.push((match[1] ?? match[2] ?? '').replaceAll(/\\([^])/g, '$1'))
    if (match[3] === '') return steps
    rest = rest.slice(match[0].length)
  }
}
