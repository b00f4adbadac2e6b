/** Owns to_hex, to_oct and to_bin: the digits of an integer to another base, of a negative one those of the 64 bits that stand for it. */
import { isInt64 } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { failsBeyond, isInteger, isNumber, isWholeDouble, setString, wrongKind } from './argument.ts'
import { isWholeType } from './text-argument.ts'

const INT64_BITS = 64

function setDigits(r: Registers, out: number, name: string, a: number, base: number): void {
  if (r.tag[a] === TAG.INTEGER && (r.num[a] as number) >= 0) {
    setString(r, out, (r.num[a] as number).toString(base))
  } else if (isInteger(r, a) || isWholeDouble(r, a)) {
    const value = r.tag[a] === TAG.DOUBLE ? BigInt(r.num[a] as number) : r.bigIntegerOf(a)
    if (isInt64(value)) setString(r, out, BigInt.asUintN(INT64_BITS, value).toString(base))
    else r.setError(out, 'integer_out_of_range', 'bigint out of range')
  } else if (isNumber(r, a)) r.setError(out, 'invalid_argument', `${name} takes whole numbers only`)
  else wrongKind(r, out, name, a)
}

function entry(name: string, base: number, digits: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([value, further]) => (isWholeType(value) && further === undefined ? 'text' : undefined),
    signature: `${name}(bigint)`,
    strict: true,
    canFail: failsBeyond('bigint'),
    evaluate: (r, out, a) => setDigits(r, out, name, a, base),
    doc: {
      summary: `The integer in ${digits} digits; a negative one as the 64 bits that stand for it.`,
      example: `${name}(flags::bigint)`,
    },
  }
}

export const RADIX_TEXT_FUNCTIONS: readonly FunctionEntry[] = [
  entry('to_hex', 16, 'hexadecimal'),
  entry('to_oct', 8, 'octal'),
  entry('to_bin', 2, 'binary'),
]
