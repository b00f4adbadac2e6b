/** Owns values as JSON: a register as JSON text, JSON text as a register, and what a jsonb holds that another type doesn't. */
import { type Decimal, decimalToText } from '../../core/decimal.ts'
import { readJsonInto } from '../../core/json-path.ts'
import { skipSpace } from '../../core/json-text.ts'
import { keyBytesOf, readErrorCell } from '../../core/key-bytes.ts'
import { doubleToJsonText, keyToJsonText } from '../../core/key-reader.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate } from '../function-entry.ts'
import { isOneOf, isWholeDouble, setString, textOf } from './argument.ts'
import { timeTextOf } from './time-value-text.ts'
import { TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

/** Undeclared values are JSON as well. */
export const isJsonType = (type: ScalarType | undefined): boolean => isOneOf(type, 'any', 'jsonb')

/** Where the array or object of a JSON register begins. */
export function beginOf(r: Registers, index: number): number {
  return skipSpace(r.ref[index] as Uint8Array, r.num[index] as number)
}

/** A register that is no ERROR, as JSON. An array or object as it is written. */
export function jsonTextOf(r: Registers, index: number): string {
  switch (r.tag[index]) {
    case TAG.NULL:
      return 'null'
    case TAG.BOOLEAN:
      return r.num[index] === 1 ? 'true' : 'false'
    case TAG.INTEGER:
      return String(r.num[index])
    case TAG.BIG_INTEGER:
      return (r.ref[index] as bigint).toString()
    case TAG.DOUBLE:
      // a whole one with all its digits, as the integer has that it is once it was a key (docs/adr/0004)
      return isWholeDouble(r, index)
        ? BigInt(r.num[index] as number).toString()
        : doubleToJsonText(r.num[index] as number)
    case TAG.NUMERIC:
      return decimalToText(r.ref[index] as Decimal)
    case TAG.JSON:
      return textOf(r, index)
    default:
      return JSON.stringify(timeTextOf(r, index) ?? textOf(r, index))
  }
}

/** Writes a value of JSON text that is valid. Errors: invalid_argument where it is too long. */
export function setJsonText(r: Registers, out: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length > TEXT_BYTES_MAX) tooLong(r, out)
  else readJsonInto(bytes, skipSpace(bytes, 0), r, out)
}

/**
 * The value as compact JSON: keys in order and once, numbers in one form, a text in its quotes. The same text whether the value comes from a
 * record or from a stored key. It may write the register that it reads.
 */
export const toCanonicalJson: Evaluate = (r, out, a) => {
  const key = keyBytesOf(r, a)
  const error = readErrorCell(key)
  if (error === undefined) setString(r, out, keyToJsonText(key, 0, true))
  else r.setError(out, error.code, error.message)
}

/** The value as a jsonb holds it: a time, date or interval is its text, NaN and infinities are texts. */
export const toJsonValue: Evaluate = (r, out, a) => {
  const time = timeTextOf(r, a)
  if (time !== undefined) setString(r, out, time)
  else if (r.tag[a] === TAG.DOUBLE && !Number.isFinite(r.num[a])) setString(r, out, String(r.num[a]))
  else r.copy(out, a)
}
