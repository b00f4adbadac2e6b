/** Owns what the aggregates give, by their definitions over the list of all inputs, and which values they take. */
import { MEMBER_BYTES_MAX } from '../../src/aggregates/distinct-set.ts'
import { KeyWriter } from '../../src/core/key-bytes.ts'
import { Registers } from '../../src/core/registers.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { compareInOrder, compareValues } from './naive-compare.ts'
import { canonical, divided, isTimeValue, sumOfSpans } from './naive-intervals.ts'
import { fromKey } from './naive-expressions.ts'
import { pairMomentOf, varianceOf, type Pair } from './naive-moments.ts'
import { checkList, finalizeList, isList, type Input } from './naive-lists.ts'
import { toNode } from './naive-json.ts'
import { frequencies, isFrequency, isOrderStatistic, orderStatistic } from './naive-order-statistics.ts'
import { int64 } from './naive-numbers.ts'
import { approximatePercentile, bucketMiddle } from './naive-percentile.ts'
import type { AggregateNode } from './syntax.ts'
import {
  Decimal,
  isNumber,
  Json,
  keyOf,
  kindOf,
  normalize,
  RowError,
  Span,
  toDecimal,
  type NumberValue,
  type Value,
} from './value.ts'

export type { Input } from './naive-lists.ts'

/** The arguments of one call; none of COUNT(*). */
type Arguments = readonly Value[]

const NUMBERS = /^(sum|avg|approx_percentile|percentile_cont|median|var|stddev|covar|corr|regr)/
const BITS = /^bit_/
const TRUTHS = /^(bool_|every)/
const EXTREMES_BY = /^(min|max)_by$/
const EXTREMES = /^(min|max)$/
const WITH_NULL = /^(first|last|array_agg|jsonb?_agg|map_agg|jsonb?_object_agg)$/

/** Whether the arguments count: not those with a NULL, but for the value of MIN_BY, and of lists. */
export function isInput({ name }: AggregateNode, args: Arguments): boolean {
  if (WITH_NULL.test(name)) return true
  return (EXTREMES_BY.test(name) ? args.slice(1) : args).every((value) => value !== null)
}

/** Errors: RowError where the aggregate doesn't take one of them. */
export function checkArguments(node: AggregateNode, { args, order }: Input): void {
  const { name, distinct, argument, second } = node
  const isOfSpans = argument?.type === 'interval' && !distinct && (name === 'sum' || name === 'avg')
  if (!isOfSpans && NUMBERS.test(name) && args.some((value) => value !== null && !isNumber(value)))
    throw new RowError('wrong_kind')
  const [first = null, by = null] = args
  if (isList(name)) return checkList(name, args, order)
  if (EXTREMES_BY.test(name)) {
    keyOf(first)
    checkExtreme(by, second?.type)
  }
  if (first === null) return
  if (TRUTHS.test(name) && typeof first !== 'boolean') throw new RowError('wrong_kind')
  if (BITS.test(name)) integerOf(first)
  if (EXTREMES.test(name)) checkExtreme(first, argument?.type)
  if (name === 'approx_percentile') bucketMiddle(first as NumberValue)
  if (isOrderStatistic(name) && isNumber(first)) bucketMiddle(first)
  if (name === 'approx_distinct' || distinct || isOrderStatistic(name) || isFrequency(name)) keyOf(first)
}

/** Arrays and objects have no least one, and of undeclared values times have none either. */
function checkExtreme(value: Value, type: ScalarType | undefined): void {
  if (type === 'any' && (value instanceof Json || value instanceof Span || isTimeValue(value)))
    throw new RowError('wrong_kind')
}

/** An int64, written with a point too. */
function integerOf(value: Value): bigint {
  if (!isNumber(value)) throw new RowError('wrong_kind')
  if (typeof value === 'bigint') return int64(value)
  if (value instanceof Decimal || !Number.isInteger(value)) throw new RowError('invalid_argument')
  return int64(BigInt(value))
}

/** The finished value. Errors: RowError, of the cell. */
export function finalize(node: AggregateNode, given: readonly Input[]): Value {
  if (node.fractions !== undefined) return finalizeEach(node, node.fractions, given)
  const { name, distinct, type, argument, second, parameter = 0 } = node
  if (isList(name)) return canonical(fromKey(finalizeList(node, given), type))
  if (type === 'interval' && (name === 'sum' || name === 'avg')) return totalOfSpans(name, given)
  // what is kept of an interval is its key
  const inputs: readonly Arguments[] = given.map(({ args }) => args.map(canonical))
  const values = inputs.map(([first = null]) => first)
  switch (name) {
    case 'count':
      return BigInt(distinct ? new Set(values.map(keyOf)).size : inputs.length)
    case 'approx_distinct':
      return BigInt(new Set(values.map(keyOf)).size)
    case 'approx_percentile':
      return approximatePercentile(values as NumberValue[], Number(parameter))
    case 'sum':
      return sumOf(
        distinct ? differentNumbers(values, argument?.type) : (values as NumberValue[]),
        type === 'double precision',
      )
    case 'avg':
      return averageOf(distinct ? differentNumbers(values, argument?.type) : (values as NumberValue[]))
    case 'stddev':
    case 'stddev_samp':
    case 'stddev_pop':
    case 'variance':
    case 'var_samp':
    case 'var_pop':
      return varianceOf(name, values as NumberValue[])
    case 'covar_pop':
    case 'covar_samp':
    case 'corr':
      return pairMomentOf(name, inputs as readonly Pair[])
    case 'min':
    case 'max':
      return fromKey(extremeOf(values, name === 'max' ? 1 : -1, argument?.type === 'any'), type)
    case 'min_by':
    case 'max_by':
      return fromKey(extremeBy(inputs, name === 'max_by' ? 1 : -1, second?.type === 'any'), type)
    case 'bool_and':
    case 'every':
      return values.length === 0 ? null : values.every((value) => value === true)
    case 'bool_or':
      return values.length === 0 ? null : values.includes(true)
    case 'bit_and':
    case 'bit_or':
    case 'bit_xor':
      return values.length === 0 ? null : values.map(integerOf).reduce(BIT_OPERATIONS[name])
    default:
      if (isOrderStatistic(name)) return fromKey(orderStatistic(node, values), type)
      if (isFrequency(name)) return fromKey(frequencies(node, values), type)
      if (name.startsWith('regr_')) return pairMomentOf(name, inputs as readonly Pair[])
      throw new Error(`the naive evaluator has no aggregate ${name}`)
  }
}

/** Of an array of percentiles. */
function finalizeEach(node: AggregateNode, fractions: readonly (number | null)[], given: readonly Input[]): Value {
  if (given.length === 0) return null
  const { fractions: _, ...one } = node
  const type = node.name === 'percentile_disc' ? (node.argument?.type ?? 'any') : 'double precision'
  const at = (parameter: number): Value => finalize({ ...one, type, parameter }, given)
  // what can't be read can't be read without fractions either
  at(0.5)
  return new Json({ elements: fractions.map((fraction) => (fraction === null ? null : toNode(at(fraction)))) })
}

function totalOfSpans(name: 'sum' | 'avg', inputs: readonly Input[]): Value {
  if (inputs.length === 0) return null
  const total = sumOfSpans(inputs.map(({ args: [span] }) => span as Span))
  return name === 'sum' ? total : divided(total, BigInt(inputs.length))
}

/** Each once; of an undeclared argument a double without a fraction is an integer, as it is in the set. */
/** Errors: number_out_of_range where a set keeps a hash of the number in place of its digits. */
/** As a set keeps them: by their keys, so that equal ones are one number, whichever came. */
function differentNumbers(values: readonly Value[], type: ScalarType = 'any'): NumberValue[] {
  const different = new Map(values.map((value) => [keyOf(value), fromKey(value, type)]))
  const numbers = [...different.values()] as NumberValue[]
  if (numbers.some((value) => keyLength(value) > MEMBER_BYTES_MAX)) throw new RowError('number_out_of_range')
  return numbers
}

function keyLength(value: NumberValue): number {
  const [registers, writer] = [new Registers(1), new KeyWriter()]
  if (value instanceof Decimal) registers.setDecimal(0, value)
  else if (typeof value === 'bigint') registers.setBigInteger(0, value)
  else registers.setDouble(0, value)
  writer.reset()
  writer.appendRegister(registers, 0)
  return writer.length
}

const BIT_OPERATIONS = {
  bit_and: (left: bigint, right: bigint): bigint => left & right,
  bit_or: (left: bigint, right: bigint): bigint => left | right,
  bit_xor: (left: bigint, right: bigint): bigint => left ^ right,
}

/** The exact total of what is finite; undefined where NaN or infinities decide, which `special` is then. */
function totalOf(inputs: readonly NumberValue[]): { readonly total: Decimal; readonly special: number | undefined } {
  let total = new Decimal(0n, 0)
  let special: number | undefined
  for (const input of inputs) {
    if (typeof input === 'number' && !Number.isFinite(input)) special = (special ?? 0) + input
    else {
      const { unscaled, scale } = toDecimal(input)
      const common = Math.max(scale, total.scale)
      const at = (value: bigint, own: number): bigint => value * 10n ** BigInt(common - own)
      total = new Decimal(at(total.unscaled, total.scale) + at(unscaled, scale), common)
    }
  }
  return { total, special }
}

function sumOf(inputs: readonly NumberValue[], isDouble: boolean): Value {
  if (inputs.length === 0) return null
  const { total, special } = totalOf(inputs)
  const holdsDouble = isDouble || inputs.some((input) => typeof input === 'number')
  if (!holdsDouble) {
    const exact = normalize(total)
    return exact.scale === 0 ? exact.unscaled : exact
  }
  return special ?? finite(nearestQuotient(total, 1n))
}

function averageOf(inputs: readonly NumberValue[]): Value {
  if (inputs.length === 0) return null
  const { total, special } = totalOf(inputs)
  return special ?? finite(nearestQuotient(total, BigInt(inputs.length)))
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RowError('sum_out_of_range')
  return value
}

/** More digits than any border between two doubles has. */
const QUOTIENT_DIGITS = 1_200

/** By the language's reader of decimals, which rounds once: the quotient's digits, and one more where a rest is left. */
function nearestQuotient({ unscaled, scale }: Decimal, divisor: bigint): number {
  const scaled = unscaled * 10n ** BigInt(QUOTIENT_DIGITS)
  const quotient = scaled / divisor
  const rest = quotient * divisor === scaled ? '0' : '1'
  return Number(`${quotient}${rest}e-${QUOTIENT_DIGITS + scale + 1}`) + 0
}

function extremeOf(inputs: readonly Value[], direction: number, undeclared: boolean): Value {
  const kinds = new Set(inputs.map(kindOf))
  if (undeclared && kinds.size > 1) throw new RowError('mixed_kinds')
  let best: Value = null
  for (const input of inputs) {
    if (best === null || (compareValues(input, best) ?? 0) * direction > 0) best = input
  }
  return best
}

/** The least value of those with the extreme `by`. */
function extremeBy(inputs: readonly Arguments[], direction: number, undeclared: boolean): Value {
  const best = extremeOf(
    inputs.map(([, by = null]) => by),
    direction,
    undeclared,
  )
  const values = inputs.filter(([, by = null]) => compareValues(by, best) === 0).map(([value = null]) => value)
  return values.toSorted(compareInOrder)[0] ?? null
}
