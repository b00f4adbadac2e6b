/** Owns the time zones among arguments: a literal one is looked up at planning, others when they come. */
import { RollupdError } from '../../core/errors.ts'
import { type Registers } from '../../core/registers.ts'
import { findTimeZone, type TimeZone, timeZoneNames } from '../../core/time-zone.ts'
import type { Expression } from '../expression.ts'
import { didYouMean } from '../nearest-name.ts'
import { isText, quote, textOf, wrongKind } from './argument.ts'

/** The zone that the register names; undefined, and an error is written, where it names none. */
export function readTimeZone(r: Registers, out: number, name: string, index: number): TimeZone | undefined {
  if (!isText(r, index)) {
    wrongKind(r, out, name, index)
    return undefined
  }
  const zone = findTimeZone(textOf(r, index))
  if (zone === undefined) r.setError(out, 'invalid_argument', `${name} knows no time zone ${quote(r, index)}`)
  return zone
}

/** The zone of a literal argument; undefined where it is none. Errors: sql_invalid for an unknown one. */
export function literalTimeZone(argument: Expression | undefined): TimeZone | undefined {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined
  const zone = findTimeZone(argument.value)
  if (zone !== undefined) return zone
  const advice = /^\d/.test(argument.value)
    ? `For an origin write '${argument.value}'::timestamptz.`
    : "Write an IANA name such as 'Europe/Berlin' or 'UTC'."
  throw new RollupdError('sql_invalid', `there is no time zone "${argument.value}"`, {
    position: argument.position,
    hint: didYouMean(argument.value, timeZoneNames()) ?? advice,
  })
}
