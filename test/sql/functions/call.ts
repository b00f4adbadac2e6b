/** Calls entries of the function table on plain values, for tests: the general way, and the specialized one beside it. */
import { expect } from 'vitest'
import { type Decimal, decimalToText, parseDecimal } from '../../../src/core/decimal.ts'
import { intervalOf, setBigInterval } from '../../../src/core/interval.ts'
import { formatInterval, parseInterval } from '../../../src/core/interval-text.ts'
import { type CellError, Registers, TAG } from '../../../src/core/registers.ts'
import type { ScalarType } from '../../../src/core/scalar-type.ts'
import { formatDate, formatLocalTimestamp, formatTimestamp } from '../../../src/core/timestamp-format.ts'
import { readDate, readLocalTimestamp, readTimestamp } from '../../../src/core/timestamp-text.ts'
import type { Expression, LiteralValue } from '../../../src/sql/expression.ts'
import type { FunctionEntry } from '../../../src/sql/function-entry.ts'
import { findFunctions } from '../../../src/sql/function-table.ts'

/** A number is an integer where it is whole; `double` makes it a double all the same. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | { readonly double: number }
  | { readonly numeric: string }
  | { readonly time: string }
  | { readonly json: string }
  | { readonly interval: string }
  | { readonly local: string }
  | { readonly date: string }

/** What comes back: plain values, times as ISO text in `time`, errors by their code. */
export type Answer =
  | null
  | boolean
  | number
  | bigint
  | string
  | { readonly numeric: string }
  | { readonly time: string }
  | { readonly json: string }
  | { readonly interval: string }
  | { readonly local: string }
  | { readonly date: string }
  | { readonly error: string }

export function typeOf(value: Value): ScalarType {
  if (value === null) return 'any'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isInteger(value) ? 'bigint' : 'double precision'
  if (typeof value === 'bigint') return 'bigint'
  if (typeof value === 'string') return 'text'
  if ('double' in value) return 'double precision'
  if ('numeric' in value) return 'numeric'
  if ('time' in value) return 'timestamptz'
  if ('local' in value) return 'timestamp'
  if ('date' in value) return 'date'
  return 'json' in value ? 'any' : 'interval'
}

export function load(r: Registers, index: number, value: Value): void {
  const setBytes = (text: string, set: (bytes: Uint8Array, start: number, end: number) => void): void => {
    // not at the begin of its buffer, as in a fetched one
    const bytes = Buffer.from(`<${text}>`, 'utf8')
    set(bytes, 1, bytes.length - 1)
  }
  if (value === null) r.setNull(index)
  else if (typeof value === 'boolean') r.setBoolean(index, value)
  else if (typeof value === 'bigint') r.setBigInteger(index, value)
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) r.setInteger(index, value)
    else r.setDouble(index, value)
  } else if (typeof value === 'string') setBytes(value, (bytes, start, end) => r.setText(index, bytes, start, end))
  else if ('double' in value) r.setDouble(index, value.double)
  else if ('json' in value) setBytes(value.json, (bytes, start, end) => r.setJson(index, bytes, start, end))
  else if ('time' in value) {
    const bytes = Buffer.from(value.time)
    expect(readTimestamp(bytes, 0, bytes.length, r, index), value.time).toBe(0)
  } else if ('numeric' in value) {
    r.tag[index] = TAG.NUMERIC
    r.ref[index] = parseDecimal(value.numeric)
  } else if ('local' in value) {
    const bytes = Buffer.from(value.local)
    expect(readLocalTimestamp(bytes, 0, bytes.length, r, index), value.local).toBe(0)
  } else if ('date' in value) {
    const bytes = Buffer.from(value.date)
    expect(readDate(bytes, 0, bytes.length, r, index), value.date).toBe(0)
  } else {
    const interval = parseInterval(value.interval)
    if (interval === undefined) throw new Error(`no interval: ${value.interval}`)
    setBigInterval(r, index, interval.months, interval.days, interval.microseconds)
  }
}

export function read(r: Registers, index: number): Answer {
  switch (r.tag[index]) {
    case TAG.NULL:
      return null
    case TAG.BOOLEAN:
      return r.num[index] === 1
    case TAG.INTEGER:
      expect(Number.isSafeInteger(r.num[index])).toBe(true)
      return r.num[index] as number
    case TAG.DOUBLE:
      return r.num[index] as number
    case TAG.BIG_INTEGER:
      return r.ref[index] as bigint
    case TAG.NUMERIC:
      return { numeric: decimalToText(r.ref[index] as Decimal) }
    case TAG.TEXT:
      return Buffer.from(r.bytesOf(index)).toString('utf8')
    case TAG.JSON:
      return { json: Buffer.from(r.bytesOf(index)).toString('utf8') }
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      return { time: formatTimestamp(r.microsecondsOf(index)) }
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      return { local: formatLocalTimestamp(r.microsecondsOf(index)) }
    case TAG.DATE:
      return { date: formatDate(r.num[index] as number) }
    case TAG.INTERVAL:
    case TAG.BIG_INTERVAL:
      return { interval: formatInterval(intervalOf(r, index)) }
    case TAG.ERROR:
      return { error: (r.ref[index] as CellError).code }
    default:
      throw new Error(`unexpected tag ${r.tag[index]}`)
  }
}

function literalOf(value: Value): Expression {
  const plain: LiteralValue =
    typeof value === 'bigint'
      ? value.toString()
      : typeof value === 'object' && value !== null
        ? 'interval' in value
          ? value.interval
          : null
        : value
  return { kind: 'literal', type: typeOf(value), value: plain, position: 1 }
}

/** The entry that the table chooses for these static types. */
export function entryFor(
  form: FunctionEntry['form'],
  name: string,
  types: readonly ScalarType[],
): FunctionEntry | undefined {
  return findFunctions(form, name).find(({ resolve }) => resolve(types) !== undefined)
}

export interface Called {
  readonly answer: Answer
  readonly message: string | undefined
  readonly kindMismatch: boolean
}

/** Calls an entry; `types` are the static types, those of the values unless given. */
export function callFully(
  form: FunctionEntry['form'],
  name: string,
  values: readonly Value[],
  types: readonly ScalarType[] = values.map(typeOf),
): Called {
  const entry = entryFor(form, name, types)
  if (entry === undefined) throw new Error(`no ${form} ${name} for ${types.join(', ')}`)
  const r = new Registers(values.length + 1)
  for (const [index, value] of values.entries()) load(r, index, value)
  const out = values.length
  if (entry.strict && values.includes(null)) return { answer: null, message: undefined, kindMismatch: false }
  const at = (index: number): number => (index < values.length ? index : -1)
  const all = values.map((_, index) => index)
  entry.evaluate(r, out, at(0), at(1), at(2), at(3), all)
  const answer = read(r, out)
  if (answer !== null && typeof answer === 'object' && 'error' in answer) {
    expect(entry.canFail(types), `${entry.id} says that it can't fail`).toBe(true)
  }
  const message = r.tag[out] === TAG.ERROR ? (r.ref[out] as CellError).message : undefined
  const { kindMismatch } = r
  if (message === undefined) {
    const special = entry.specialize?.(values.map(literalOf))
    special?.(r, out, at(0), at(1), at(2), at(3), all)
    expect(read(r, out), `${entry.id}, specialized`).toEqual(answer)
  }
  return { answer, message, kindMismatch }
}

export function call(form: FunctionEntry['form'], name: string, ...values: readonly Value[]): Answer {
  return callFully(form, name, values).answer
}
