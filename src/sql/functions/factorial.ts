/** Owns factorial: exact, up to the greatest one that a numeric holds. */
import { decimalOfInteger } from '../../core/decimal.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isInteger, isNumber, isWholeDouble, wrongKind } from './argument.ts'
import { setExact } from './number-arithmetic.ts'
import { isWholeType } from './text-argument.ts'

/** Its factorial has 131,068 digits; the next one has more than PostgreSQL's numeric. */
const NUMBER_MAX = 32_177

/** Halves of about the same length multiply much faster than a long number by short ones. */
function product(from: number, to: number): bigint {
  if (to - from < 8) {
    let result = BigInt(from)
    for (let factor = from + 1; factor <= to; factor++) result *= BigInt(factor)
    return result
  }
  const middle = Math.floor((from + to) / 2)
  return product(from, middle) * product(middle + 1, to)
}

function factorial(r: Registers, out: number, a: number): void {
  if (isInteger(r, a) || isWholeDouble(r, a)) {
    const number = r.tag[a] === TAG.BIG_INTEGER ? Number(r.ref[a]) : (r.num[a] as number)
    if (number < 0) r.setError(out, 'invalid_argument', 'factorial: of a negative number there is none')
    else if (number > NUMBER_MAX) r.setError(out, 'number_out_of_range', 'value out of range of numeric')
    else setExact(r, out, decimalOfInteger(number < 2 ? 1n : product(1, number)))
  } else if (isNumber(r, a)) r.setError(out, 'invalid_argument', 'factorial takes whole numbers only')
  else wrongKind(r, out, 'factorial', a)
}

export const FACTORIAL: FunctionEntry = {
  id: 'factorial',
  name: 'factorial',
  form: 'function',
  resolve: ([number, further]) => (isWholeType(number) && further === undefined ? 'numeric' : undefined),
  signature: 'factorial(bigint)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a) => factorial(r, out, a),
  doc: { summary: 'The product of all whole numbers from 1 to this one; at most 32177.', example: 'factorial(20)' },
}
