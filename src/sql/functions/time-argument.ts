/** Owns what functions of time share in looking at their arguments, and their errors. */
import { RollupdError } from '../../core/errors.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { isTimeType, type ScalarType } from '../../core/scalar-type.ts'
import { unitName } from '../../core/time-unit.ts'
import type { Expression } from '../expression.ts'
import { isLocalTimestamp, isText, isTimestamp, wrongKind } from './argument.ts'

const TIME_ADVICE = ': cast it with ::timestamptz'

/** A point in time; an undeclared one may hold it. */
export function isTimeOrAny(type: ScalarType | undefined): boolean {
  return isTimeType(type) || type === 'any'
}

/** Writes an error and gives false where the register is no point in time. */
export function isTime(r: Registers, out: number, name: string, index: number): boolean {
  if (isTimestamp(r, index) || isLocalTimestamp(r, index) || r.tag[index] === TAG.DATE) return true
  wrongKind(r, out, name, index, isText(r, index) ? TIME_ADVICE : '')
  return false
}

export function outOfRange(r: Registers, out: number): void {
  r.setError(out, 'timestamp_out_of_range', 'timestamp out of range')
}

export function intervalOutOfRange(r: Registers, out: number): void {
  r.setError(out, 'interval_out_of_range', 'interval out of range')
}

/** The text of a literal argument, in lower case; undefined where it is none. */
export function literalWord(argument: Expression | undefined): string | undefined {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined
  return argument.value.toLowerCase()
}

/** The unit or field of a literal argument, by its one name. */
export function literalUnit(argument: Expression | undefined): string | undefined {
  const word = literalWord(argument)
  return word === undefined ? undefined : unitName(word)
}

export function unknownWord(argument: Expression | undefined, what: string, known: readonly string[]): RollupdError {
  return new RollupdError('sql_invalid', `unknown ${what} "${literalWord(argument) ?? ''}"`, {
    position: argument?.position,
    hint: `Write one of ${known.join(', ')}.`,
  })
}
