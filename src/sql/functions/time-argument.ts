/** Owns what functions of time share in looking at their arguments, and their errors. */
import { RollupdError } from '../../core/errors.ts'
import type { Registers } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Expression } from '../expression.ts'
import { isText, isTimestamp, wrongKind } from './argument.ts'

const TIME_ADVICE = ': cast it with ::timestamptz'

export function isTimeType(type: ScalarType | undefined): boolean {
  return type === 'timestamptz' || type === 'any'
}

/** Writes an error and gives false where the register isn't a time. */
export function isTime(r: Registers, out: number, name: string, index: number): boolean {
  if (isTimestamp(r, index)) return true
  wrongKind(r, out, name, index, isText(r, index) ? TIME_ADVICE : '')
  return false
}

export function outOfRange(r: Registers, out: number): void {
  r.setError(out, 'timestamp_out_of_range', 'timestamp out of range')
}

/** The text of a literal argument, in lower case; undefined where it is none. */
export function literalWord(argument: Expression | undefined): string | undefined {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined
  return argument.value.toLowerCase()
}

export function unknownWord(argument: Expression | undefined, what: string, known: readonly string[]): RollupdError {
  return new RollupdError('sql_invalid', `unknown ${what} "${literalWord(argument) ?? ''}"`, {
    position: argument?.position,
    hint: `Write one of ${known.join(', ')}.`,
  })
}
