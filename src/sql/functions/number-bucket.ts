/** Owns number_bucket: where the bucket of a fixed width begins that a number falls into. Exact, of a double by its shortest decimal. */
import { type Decimal, powerOfTen, shortestDecimalOf } from '../../core/decimal.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumber, isNumberType, wrongKind } from './argument.ts'
import { exactOf } from './compare-values.ts'
import { setExact } from './number-arithmetic.ts'

const NAME = 'number_bucket'

function isFiniteNumber(r: Registers, out: number, index: number): boolean {
  if (r.tag[index] !== TAG.DOUBLE || Number.isFinite(r.num[index])) return true
  r.setError(out, 'number_out_of_range', `${NAME} takes finite numbers only`)
  return false
}

/** Caller keeps: a finite number. */
function decimalOf(r: Registers, index: number): Decimal {
  return r.tag[index] === TAG.DOUBLE ? shortestDecimalOf(r.num[index]!) : exactOf(r, index)
}

/** width * floor(value / width) */
function bucketOf(value: Decimal, width: Decimal): Decimal {
  const scale = Math.max(value.scale, width.scale)
  const [whole, step] = [value, width].map((one) => one.unscaled * powerOfTen(scale - one.scale)) as [bigint, bigint]
  const rest = whole % step
  return { unscaled: whole - (rest < 0n ? rest + step : rest), scale }
}

const numberBucket: Evaluate = (r, out, a, b) => {
  if (r.tag[a] === TAG.INTEGER && r.tag[b] === TAG.INTEGER && r.num[b]! > 0) {
    const rest = r.num[a]! % r.num[b]!
    const bucket = r.num[a]! - (rest < 0 ? rest + r.num[b]! : rest)
    if (Number.isSafeInteger(bucket)) return r.setInteger(out, bucket)
  }
  if (!isNumber(r, a)) return wrongKind(r, out, NAME, a)
  if (!isNumber(r, b)) return wrongKind(r, out, NAME, b)
  if (!isFiniteNumber(r, out, a) || !isFiniteNumber(r, out, b)) return
  const width = decimalOf(r, b)
  if (width.unscaled <= 0n) r.setError(out, 'invalid_argument', `${NAME}: the width must be greater than zero`)
  else setExact(r, out, bucketOf(decimalOf(r, a), width))
}

export const NUMBER_BUCKET: FunctionEntry = {
  id: NAME,
  name: NAME,
  form: 'function',
  resolve: ([value, width, further]: readonly ScalarType[]) =>
    isNumberType(value) && isNumberType(width) && further === undefined ? 'numeric' : undefined,
  signature: `${NAME}(number, width number)`,
  strict: true,
  canFail: always,
  evaluate: numberBucket,
  doc: {
    summary:
      'Where the bucket of that width begins that the number falls into: the greatest multiple of the width that is no greater, exactly. NaN and infinities are an error.',
    example: `${NAME}(latency_ms, 0.5)`,
  },
}
