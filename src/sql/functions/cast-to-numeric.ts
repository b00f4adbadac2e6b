/** Owns the cast to numeric: every digit of a text or integer, and of a double those that tell it apart. */
import { shortestDecimalOf } from '../../core/decimal.ts'
import { NUMBER_TEXT, readNumeric } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { kindName } from '../../core/value-kind.ts'
import type { Evaluate } from '../function-entry.ts'
import { quote } from './argument.ts'

/** Compilers read a field that is cast so from its own digits (FieldLoader.loadExact). */
export const CAST_TO_NUMERIC_IDS: readonly string[] = ['cast_to_numeric', 'try_cast_to_numeric']

export const toNumeric: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.INTEGER:
    case TAG.BIG_INTEGER:
    case TAG.NUMERIC:
      r.copy(out, a)
      return
    case TAG.DOUBLE:
      doubleToNumeric(r, out, r.num[a] as number)
      return
    case TAG.TEXT: {
      const result = readNumeric(r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number, r, out)
      if (result === NUMBER_TEXT.INVALID) r.setError(out, 'invalid_cast', `invalid input for numeric: ${quote(r, a)}`)
      else if (result === NUMBER_TEXT.OUT_OF_RANGE) outOfRange(r, out, quote(r, a))
      return
    }
    default:
      r.setError(out, 'wrong_kind', `${kindName(r, a)} can't be cast to numeric`)
  }
}

function doubleToNumeric(r: Registers, out: number, value: number): void {
  if (!Number.isFinite(value)) {
    outOfRange(r, out, String(value))
    return
  }
  r.setDecimal(out, shortestDecimalOf(value))
}

function outOfRange(r: Registers, out: number, text: string): void {
  r.setError(out, 'number_out_of_range', `${text} is out of range of numeric`)
}
