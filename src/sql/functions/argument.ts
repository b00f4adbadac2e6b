/** Owns what the functions share in looking at their arguments: static types, kinds at run time, and the errors about them. */
import { assert } from '../../core/assert.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { NUMBER_TYPES, type ScalarType } from '../../core/scalar-type.ts'
import { kindName } from '../../core/value-kind.ts'
import type { Evaluate } from '../function-entry.ts'

/** Texts in messages are cut to so many characters. */
const QUOTED_MAX = 100

/** Undeclared ones may hold a number. */
export function isNumberType(type: ScalarType | undefined): boolean {
  return type !== undefined && (type === 'any' || NUMBER_TYPES.has(type))
}

/** For `resolve`: one number gives a number of its own type. */
export function resolveNumber([type, further]: readonly ScalarType[]): ScalarType | undefined {
  if (type === undefined || further !== undefined || !isNumberType(type)) return undefined
  return type === 'any' ? 'number' : type
}

/** The value may be a number that was a key, or will be one. */
export function isUndeclared(type: ScalarType | undefined): boolean {
  return type === 'any' || type === 'number'
}

/** Undefined types, where there are fewer arguments, are no type. */
export function isOneOf(type: ScalarType | undefined, ...types: readonly ScalarType[]): boolean {
  return type !== undefined && types.includes(type)
}

/** For `canFail`: a call fails only where an argument is of another type than these. */
export function failsBeyond(...types: readonly ScalarType[]): (args: readonly ScalarType[]) => boolean {
  return (args) => args.some((type) => !types.includes(type))
}

export function never(): boolean {
  return false
}

export function always(): boolean {
  return true
}

export function isNumber(r: Registers, index: number): boolean {
  const tag = r.tag[index] as number
  return tag >= TAG.INTEGER && tag <= TAG.NUMERIC
}

export function isInteger(r: Registers, index: number): boolean {
  return r.tag[index] === TAG.INTEGER || r.tag[index] === TAG.BIG_INTEGER
}

/** A double without a fraction. Where a whole number is wanted it is one: a record may write 2 as 2.0, and a key holds both alike. */
export function isWholeDouble(r: Registers, index: number): boolean {
  return r.tag[index] === TAG.DOUBLE && Number.isInteger(r.num[index])
}

export function isText(r: Registers, index: number): boolean {
  return r.tag[index] === TAG.TEXT
}

export function isTimestamp(r: Registers, index: number): boolean {
  return r.tag[index] === TAG.TIMESTAMP || r.tag[index] === TAG.BIG_TIMESTAMP
}

/** The evaluation of a variadic entry. */
export function variadic(body: (r: Registers, out: number, args: readonly number[]) => void): Evaluate {
  return (r, out, _a, _b, _c, _d, all) => {
    assert(all !== undefined, 'a variadic entry gets all its arguments')
    body(r, out, all)
  }
}

export function isLocalTimestamp(r: Registers, index: number): boolean {
  return r.tag[index] === TAG.LOCAL_TIMESTAMP || r.tag[index] === TAG.BIG_LOCAL_TIMESTAMP
}

export function isInterval(r: Registers, index: number): boolean {
  return r.tag[index] === TAG.INTERVAL || r.tag[index] === TAG.BIG_INTERVAL
}

/** `lower doesn't take a number` */
export function wrongKind(r: Registers, out: number, name: string, index: number, advice = ''): void {
  r.setError(out, 'wrong_kind', `${name} doesn't take ${kindName(r, index)}${advice}`)
}

export function textOf(r: Registers, index: number): string {
  const bytes = r.ref[index] as Uint8Array
  const start = r.num[index] as number
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, (r.end[index] as number) - start).toString('utf8')
}

export function setString(r: Registers, out: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  r.setText(out, bytes, 0, bytes.length)
}

/** `a boolean can't be cast to date` */
export function refuseCast(r: Registers, out: number, type: ScalarType, index: number, advice = ''): void {
  r.setError(out, 'wrong_kind', `${kindName(r, index)} can't be cast to ${type}${advice}`)
}

/** A text that isn't one of the type's. */
export function refuseText(r: Registers, out: number, type: ScalarType, index: number): void {
  r.setError(out, 'invalid_cast', `invalid input for ${type}: ${quote(r, index)}`)
}

/** A text argument for a message: quoted, on one line, not too long. */
export function quote(r: Registers, index: number): string {
  const text = textOf(r, index)
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}...` : text)
}
