/** Owns a percentile's fraction and direction as one parameter: `0.95 asc`. The fraction is exact, as it was written. */
import { assert } from '../core/assert.ts'
import { parseDecimal, type Decimal } from '../core/decimal.ts'
import type { AggregateParameter } from './aggregate.ts'

export interface Quantile {
  readonly fraction: Decimal
  readonly descending: boolean
}

const DIGITS_MAX = 400

export function toQuantileParameter(fraction: string, descending: boolean): string {
  return `${fraction} ${descending ? 'desc' : 'asc'}`
}

export function readQuantile(parameter: AggregateParameter): Quantile {
  const [digits = '', direction] = String(parameter).split(' ')
  const fraction = parseDecimal(digits, DIGITS_MAX, DIGITS_MAX)
  assert(fraction !== undefined, `the fraction ${digits} is a number`)
  return { fraction, descending: direction === 'desc' }
}
