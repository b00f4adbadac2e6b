/**
 * Owns the naive evaluator's values: plain JavaScript ones, integers as bigint, numbers exactly where they are compared, and how
 * each is told apart as a grouping value and shown in an answer. Written from docs/SQL.md, without rollupd's own code.
 */

/** A value in a record as it was written: numbers keep their text, of equal keys the last counts. */
export type JsonNode = null | boolean | { readonly number: string } | { readonly text: string } | JsonArray | JsonObject
export interface JsonArray {
  readonly elements: readonly JsonNode[]
}
export interface JsonObject {
  readonly members: readonly (readonly [string, JsonNode])[]
}

/** An exact number that is no integer: unscaled * 10^-scale. */
export class Decimal {
  readonly unscaled: bigint
  readonly scale: number
  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled
    this.scale = scale
  }
}

/** An instant. */
export class Time {
  /** Microseconds since 1970. */
  readonly micros: bigint
  constructor(micros: bigint) {
    this.micros = micros
  }
}

export class Json {
  readonly node: JsonArray | JsonObject
  constructor(node: JsonArray | JsonObject) {
    this.node = node
  }
}

/** What a clock and a calendar show. */
export class Local {
  /** Microseconds since 1970, as if in UTC. */
  readonly micros: bigint
  constructor(micros: bigint) {
    this.micros = micros
  }
}

export class Day {
  /** Since 1970. */
  readonly days: number
  constructor(days: number) {
    this.days = days
  }
}

export class Span {
  readonly months: number
  readonly days: number
  readonly micros: bigint
  constructor(months: number, days: number, micros: bigint) {
    this.months = months
    this.days = days
    this.micros = micros
  }
}

/** A point in time. */
export type TimeValue = Time | Local | Day

/** bigint: an integer; number: a double, never -0. */
export type Value = null | boolean | bigint | number | string | Decimal | Time | Local | Day | Json | Span
export type NumberValue = bigint | number | Decimal

/** Why an expression has no value: a code of what can be wrong with a record or a cell. */
export class RowError extends Error {
  readonly code: string
  constructor(code: string, message = code) {
    super(message)
    this.code = code
  }
}

export type Kind =
  'null' | 'boolean' | 'number' | 'text' | 'time' | 'timestamp' | 'date' | 'array' | 'object' | 'interval'

export function kindOf(value: Value): Kind {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'text'
  if (value instanceof Time) return 'time'
  if (value instanceof Local) return 'timestamp'
  if (value instanceof Day) return 'date'
  if (value instanceof Json) return 'elements' in value.node ? 'array' : 'object'
  return value instanceof Span ? 'interval' : 'number'
}

export function isNumber(value: Value): value is NumberValue {
  return kindOf(value) === 'number'
}

const POINT = /[.eE]/
/** An integer of up to 1,000 digits. */
const DIGITS_MAX = 1_000

/** What a field holds where it is used. Errors: invalid_text, number_out_of_range. */
export function fieldValue(node: JsonNode, exact = false): Value {
  if (node === null || typeof node === 'boolean') return node
  if ('text' in node) {
    if (!isText(node.text)) throw new RowError('invalid_text')
    return node.text
  }
  if (!('number' in node)) return new Json(node)
  if (!POINT.test(node.number)) {
    if (node.number.replace('-', '').length > DIGITS_MAX) throw new RowError('number_out_of_range')
    return BigInt(node.number)
  }
  if (!exact) return doubleOfText(node.number)
  const decimal = decimalOfJson(node.number)
  return decimal.scale === 0 ? decimal.unscaled : decimal
}

/** The nearest double. Errors: number_out_of_range, also where it is 0 and the text isn't. */
export function doubleOfText(text: string): number {
  const value = Number(text)
  const isZero = !/[1-9]/.test(text.replace(/[eE].*/, ''))
  if (!Number.isFinite(value) || (value === 0 && !isZero)) throw new RowError('number_out_of_range')
  return value + 0
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** A finite double exactly. */
function decimalOfDouble(value: number): Decimal {
  let scaled = value
  let halvings = 0
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    halvings++
  }
  return new Decimal(BigInt(scaled) * 5n ** BigInt(halvings), halvings)
}

export function toDecimal(value: NumberValue): Decimal {
  if (typeof value === 'bigint') return new Decimal(value, 0)
  return typeof value === 'number' ? decimalOfDouble(value) : value
}

export function normalize({ unscaled, scale }: Decimal): Decimal {
  let [digits, places] = [unscaled, scale]
  for (let step = 512; step >= 1; step /= 2) {
    const power = 10n ** BigInt(step)
    while (places >= step && digits % power === 0n) {
      digits /= power
      places -= step
    }
  }
  return new Decimal(digits, digits === 0n ? 0 : places)
}

/** The double nearest to a decimal, by the language's own reader of numbers. */
export function nearestDouble({ unscaled, scale }: Decimal): number {
  return Number(`${unscaled}e-${scale}`) + 0
}

/** Negative, 0, positive. NaN equals itself and is above all. */
export function compareNumbers(left: NumberValue, right: NumberValue): number {
  const [a, b] = [left, right].map((value) =>
    typeof value === 'number' && !Number.isFinite(value) ? value : undefined,
  )
  if (a !== undefined || b !== undefined) {
    const rank = (value: number | undefined): number =>
      value === undefined ? 0 : Number.isNaN(value) ? 2 : value > 0 ? 1 : -1
    return rank(a) - rank(b)
  }
  const [x, y] = [toDecimal(left), toDecimal(right)]
  const scale = Math.max(x.scale, y.scale)
  const difference = x.unscaled * 10n ** BigInt(scale - x.scale) - y.unscaled * 10n ** BigInt(scale - y.scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** What makes two values one grouping value. Errors: invalid_text, number_out_of_range inside arrays and objects. */
export function keyOf(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return `boolean ${value}`
  if (typeof value === 'string') return `text ${value}`
  if (value instanceof Time) return `time ${value.micros}`
  if (value instanceof Json) return `json ${showJson(value.node)}`
  if (value instanceof Local) return `timestamp ${value.micros}`
  if (value instanceof Day) return `date ${value.days}`
  if (value instanceof Span) return `interval ${spanOf(value)}`
  return `number ${numberKey(value)}`
}

function numberKey(value: NumberValue): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  const { unscaled, scale } = normalize(toDecimal(value))
  return `${unscaled}e-${scale}`
}

/** Whole numbers that are doubles have all their digits up to here. */
const DIGITS_SHOWN_LIMIT = 10n ** 40n

/** A number of an answer: what is a double exactly in the double's short form, all else with all its digits. */
export function showNumber(value: NumberValue): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return `"${value}"`
  const decimal = normalize(toDecimal(value))
  const double = nearestDouble(decimal)
  if (Number.isFinite(double) && compareNumbers(double, decimal) === 0) {
    const whole = decimal.scale === 0 && decimal.unscaled < DIGITS_SHOWN_LIMIT && decimal.unscaled > -DIGITS_SHOWN_LIMIT
    return whole ? decimal.unscaled.toString() : String(double)
  }
  return decimalText(decimal)
}

/** All digits, as many behind the point as the scale says. */
export function decimalText({ unscaled, scale }: Decimal): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`
}

/** The exact decimal of a JSON number. Errors: number_out_of_range beyond 1,000 digits before or behind the point. */
function decimalOfJson(text: string): Decimal {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const scale = fraction.length - Number(power)
  if (digits === '') return new Decimal(0n, 0)
  if (scale > DIGITS_MAX || digits.length - scale > DIGITS_MAX) throw new RowError('number_out_of_range')
  const unscaled = BigInt(`${sign}${digits}`)
  return scale < 0 ? new Decimal(unscaled * 10n ** BigInt(-scale), 0) : normalize(new Decimal(unscaled, scale))
}

/** Compact JSON: numbers by their exact value, each key once, shorter keys first, then by bytes. */
export function showJson(node: JsonNode): string {
  if (node === null || typeof node === 'boolean') return String(node)
  if ('number' in node) return showNested(decimalOfJson(node.number))
  if ('text' in node) return showText(node.text)
  if ('elements' in node) return `[${node.elements.map(showJson).join(',')}]`
  return `{${canonicalMembers(node)
    .map(([key, value]) => `${showText(key)}:${value}`)
    .join(',')}}`
}

/** A whole number in an array or object has all its digits. */
function showNested(value: Decimal): string {
  const decimal = normalize(value)
  return decimal.scale === 0 ? decimal.unscaled.toString() : showNumber(decimal)
}

function showText(text: string): string {
  if (!isText(text)) throw new RowError('invalid_text')
  return JSON.stringify(text)
}

function canonicalMembers({ members }: JsonObject): (readonly [string, string])[] {
  // shown in the order of the record first, so that the first error is the one met first there
  const shown = new Map<string, string>()
  for (const [key, value] of members) {
    showText(key)
    shown.set(key, showJson(value))
  }
  return [...shown].toSorted(([a], [b]) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b))
}

/** The same value with every number in the text that showJson gives it: what is left of it in a key. */
export function throughKey(node: JsonNode): JsonNode {
  if (node === null || typeof node === 'boolean' || 'text' in node) return node
  if ('number' in node) return { number: showNested(decimalOfJson(node.number)) }
  if ('elements' in node) return { elements: node.elements.map(throughKey) }
  const last = new Map(node.members)
  return { members: [...last].map(([key, value]) => [key, throughKey(value)]) }
}

/** A value of an answer as JSON. */
export function showValue(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Time) return JSON.stringify(showTime(value))
  if (value instanceof Json) return showJson(value.node)
  if (value instanceof Local || value instanceof Day || value instanceof Span) return JSON.stringify(showOther(value))
  return showNumber(value)
}

const DAY_MICROS = 86_400_000_000n
/** 400 years. */
const CYCLE_DAYS = 146_097
const CYCLE_YEARS = 400
const DAY_MS = 86_400_000
const DAY_OF_2000 = Date.UTC(2000, 0, 1) / DAY_MS

export interface Civil {
  /** 0 is 1 BC. */
  readonly year: number
  readonly month: number
  readonly day: number
  /** Days since 1970. */
  readonly days: number
  /** Microsecond of the day. */
  readonly rest: bigint
}

/** The calendar repeats every 400 years, so the language's own one serves. */
export function toCivil({ micros }: Time): Civil {
  const rest = ((micros % DAY_MICROS) + DAY_MICROS) % DAY_MICROS
  const days = Number((micros - rest) / DAY_MICROS)
  const cycles = Math.floor((days - DAY_OF_2000) / CYCLE_DAYS)
  const date = new Date((days - cycles * CYCLE_DAYS) * DAY_MS)
  const year = date.getUTCFullYear() + cycles * CYCLE_YEARS
  return { year, month: date.getUTCMonth() + 1, day: date.getUTCDate(), days, rest }
}

/** Days since 1970; a month beyond 1..12 and a day beyond its month run on. */
export function toDays(year: number, month: number, day: number): number {
  const [whole, rest] = [year + Math.floor((month - 1) / 12), (((month - 1) % 12) + 12) % 12]
  const cycles = Math.floor((whole - 2000) / CYCLE_YEARS)
  return Date.UTC(whole - cycles * CYCLE_YEARS, rest, day) / DAY_MS + cycles * CYCLE_DAYS
}

export function microsOf(value: TimeValue): bigint {
  return value instanceof Day ? BigInt(value.days) * DAY_MICROS : value.micros
}

/** Months of 30 days, days of 24 hours. */
export function spanOf({ months, days, micros }: Span): bigint {
  return (BigInt(months) * 30n + BigInt(days)) * DAY_MICROS + micros
}

/** A timestamp, a date, an interval as text. */
export function showOther(value: Local | Day | Span): string {
  if (value instanceof Local) return showTime(new Time(value.micros)).slice(0, -1)
  if (value instanceof Day) return showTime(new Time(microsOf(value))).replace(/T.*/, '')
  const parts: string[] = []
  let isBefore = false
  const names = [Math.trunc(value.months / 12), value.months % 12, value.days]
  for (const [index, count] of names.entries()) {
    if (count === 0) continue
    const name = ['year', 'mon', 'day'][index]
    parts.push(`${isBefore && count > 0 ? '+' : ''}${count} ${name}${count === 1 ? '' : 's'}`)
    isBefore = count < 0
  }
  if (parts.length > 0 && value.micros === 0n) return parts.join(' ')
  const micros = value.micros < 0n ? -value.micros : value.micros
  const two = (part: bigint): string => String(part).padStart(2, '0')
  const clock = `${two(micros / 3_600_000_000n)}:${two((micros / 60_000_000n) % 60n)}:${two((micros / 1_000_000n) % 60n)}`
  const fraction = String(micros % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const sign = value.micros < 0n ? '-' : isBefore ? '+' : ''
  return [...parts, `${sign}${clock}${fraction === '' ? '' : `.${fraction}`}`].join(' ')
}

/** 4713 BC, and the last microsecond that fits 64 bits. */
const TIME_MIN = BigInt(toDays(-4713, 11, 24)) * DAY_MICROS
const TIME_MAX = 2n ** 63n - 1n

/** Errors: timestamp_out_of_range. */
export function toTime(micros: bigint): Time {
  if (micros < TIME_MIN || micros > TIME_MAX) throw new RowError('timestamp_out_of_range')
  return new Time(micros)
}

/** Errors: timestamp_out_of_range. */
export function toDay(days: number): Day {
  const micros = Number.isFinite(days) ? BigInt(days) * DAY_MICROS : TIME_MAX + 1n
  if (micros < TIME_MIN || micros > TIME_MAX) throw new RowError('timestamp_out_of_range')
  return new Day(days)
}

export function timeOf(days: number, rest: bigint): Time {
  return toTime(BigInt(days) * DAY_MICROS + rest)
}

export function showTime(time: Time): string {
  const { year, month, day, rest } = toCivil(time)
  const two = (value: number | bigint): string => String(value).padStart(2, '0')
  const shownYear =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`
  const seconds = rest / 1_000_000n
  const fraction = String(rest % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const clock = `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`
  return `${shownYear}-${two(month)}-${two(day)}T${clock}${fraction === '' ? '' : `.${fraction}`}Z`
}
