/**
 * Owns the state columns of exact sums, their merge and their finished values; SUM and AVG differ only in what they make of them.
 *
 * The usual total stands in fixed point: top + f1 * 2^-48 + f2 * 2^-96, top = its floor, f1 and f2 in [0, 2^48), so that SQLite
 * merges it with integer arithmetic. `wide` is null then. A total that doesn't fit (|top| near 2^62, bits below 2^-96, decimals,
 * NaN, infinities) stands in `wide` alone, as canonical bytes, and the limbs are 0. Which of the two depends on the total alone
 * (law 5): a total that comes back into the window stands in limbs again.
 */
import type { Registers } from '../core/registers.ts'
import type { Aggregate, ColumnFold, ColumnFoldKind, StateColumn, StateValue } from './aggregate.ts'
import {
  BINARY_SCALE,
  addTotal,
  decodeTotal,
  encodeTotal,
  hasMoreThanBinary,
  negateTotal,
  nonFiniteSum,
  roundQuotient,
  toBinary,
  toDecimal,
  toFraction,
  zeroTotal,
  type ExactTotal,
} from './exact-total.ts'
import { toStateValue } from './state-value.ts'

/** Bits of a limb: two carry-free sums of limbs fit a safe integer. */
const LIMB_BITS = 48
export const LIMB = 2 ** LIMB_BITS
const LIMB_BITS_BIG = BigInt(LIMB_BITS)
const LIMB_MASK_BIG = (1n << LIMB_BITS_BIG) - 1n
const FRACTION_BITS = 2n * LIMB_BITS_BIG
const BELOW_WINDOW = BigInt(BINARY_SCALE) - FRACTION_BITS
/** The window: -2^62 <= top < 2^62. Two tops and a carry add up within an int64. */
const TOP_END = 1n << 62n

/** Where each column of the state is; -1: this state has none. */
export interface ExactSumLayout {
  readonly columns: readonly StateColumn[]
  /** Integers among the inputs, where they are counted apart: they decide whether the sum is an integer. */
  readonly integers: number
  /** All other inputs; all inputs where `integers` is -1. */
  readonly others: number
  readonly top: number
  readonly f1: number
  readonly f2: number
  readonly wide: number
}

const column = (suffix: string, storage: StateColumn['storage'] = 'INTEGER'): StateColumn => ({ suffix, storage })

/** Declared integers: no fraction, no limbs. */
export const INTEGER_SUM: ExactSumLayout = {
  columns: [column('_n'), column('_top'), column('_wide', 'BLOB')],
  integers: -1,
  others: 0,
  top: 1,
  f1: -1,
  f2: -1,
  wide: 2,
}

/** Any numbers where it doesn't matter which: doubles, and the averages of anything. */
export const NUMBER_SUM: ExactSumLayout = {
  columns: [column('_n'), column('_top'), column('_f1'), column('_f2'), column('_wide', 'BLOB')],
  integers: -1,
  others: 0,
  top: 1,
  f1: 2,
  f2: 3,
  wide: 4,
}

/** Undeclared numbers: the sum of integers alone is an integer. */
export const MIXED_SUM: ExactSumLayout = {
  columns: [
    column('_n_int'),
    column('_n_double'),
    column('_top'),
    column('_f1'),
    column('_f2'),
    column('_wide', 'BLOB'),
  ],
  integers: 0,
  others: 1,
  top: 2,
  f1: 3,
  f2: 4,
  wide: 5,
}

/** What every aggregate over exact sums has in common. */
export function exactSumParts(
  layout: ExactSumLayout,
): Pick<Aggregate, 'columns' | 'columnFold' | 'identity' | 'merge' | 'subtract' | 'mergeSql' | 'mergeGuard'> {
  return {
    columns: layout.columns,
    columnFold: columnFoldOf(layout),
    identity: () => identityOf(layout),
    merge: (left, right) => combineSums(layout, left, right, 1),
    subtract: (whole, part) => combineSums(layout, whole, part, -1),
    mergeSql: (stored, added) => mergeSumsSql(layout, stored, added),
    mergeGuard: (stored, added) => mergeSumsGuard(layout, stored, added),
  }
}

/** Sums of limbs carry once, at the end. */
function columnFoldOf(layout: ExactSumLayout): ColumnFold {
  const kindOf = (index: number): ColumnFoldKind =>
    index === layout.wide ? 'none' : index === layout.f1 || index === layout.f2 ? 'limb' : 'sum'
  return {
    kinds: layout.columns.map((_, index) => kindOf(index)),
    toState: (folded) => {
      const state = folded.map(toStateValue)
      const units = windowUnits(layout, folded)
      if (isInWindow(units)) writeWindow(layout, units, state)
      else writeTotal(layout, { ...zeroTotal(), binary: units << BELOW_WINDOW }, state)
      return state
    },
  }
}

function identityOf(layout: ExactSumLayout): StateValue[] {
  return layout.columns.map((_, index) => (index === layout.wide ? null : 0))
}

const bigOf = (value: StateValue): bigint => BigInt(value as number | bigint)

function countOf(state: readonly StateValue[], index: number): number {
  return index < 0 ? 0 : Number(state[index])
}

/** The total in units of 2^-96; only where `wide` is null. */
function windowUnits(layout: ExactSumLayout, state: readonly StateValue[]): bigint {
  const top = bigOf(state[layout.top]!) << FRACTION_BITS
  if (layout.f1 < 0) return top
  return top + (bigOf(state[layout.f1]!) << LIMB_BITS_BIG) + bigOf(state[layout.f2]!)
}

function totalOf(layout: ExactSumLayout, state: readonly StateValue[]): ExactTotal {
  const wide = state[layout.wide]
  if (wide instanceof Uint8Array) return decodeTotal(wide)
  const total = zeroTotal()
  total.binary = windowUnits(layout, state) << BELOW_WINDOW
  return total
}

/** Writes the total in canonical form; the counts are the caller's. */
export function writeTotal(layout: ExactSumLayout, total: ExactTotal, into: StateValue[]): void {
  const binary = toBinary(total)
  const units = binary >> BELOW_WINDOW
  if (!hasMoreThanBinary(total) && units << BELOW_WINDOW === binary && isInWindow(units)) {
    writeWindow(layout, units, into)
    return
  }
  into[layout.top] = 0
  if (layout.f1 >= 0) {
    into[layout.f1] = 0
    into[layout.f2] = 0
  }
  into[layout.wide] = encodeTotal(total)
}

/** Whether a total in units of 2^-96 stands in limbs. */
function isInWindow(units: bigint): boolean {
  const top = units >> FRACTION_BITS
  return top >= -TOP_END && top < TOP_END
}

function writeWindow(layout: ExactSumLayout, units: bigint, into: StateValue[]): void {
  into[layout.top] = toStateValue(units >> FRACTION_BITS)
  if (layout.f1 >= 0) {
    into[layout.f1] = Number((units >> LIMB_BITS_BIG) & LIMB_MASK_BIG)
    into[layout.f2] = Number(units & LIMB_MASK_BIG)
  }
  into[layout.wide] = null
}

/** Adds or takes away any two states; the rare sums among those that are merged, since mergeSql serves the rest. */
function combineSums(
  layout: ExactSumLayout,
  left: readonly StateValue[],
  right: readonly StateValue[],
  sign: 1 | -1,
): StateValue[] {
  const combined = identityOf(layout)
  for (const index of [layout.integers, layout.others]) {
    if (index >= 0) combined[index] = countOf(left, index) + sign * countOf(right, index)
  }
  const total = totalOf(layout, left)
  const other = totalOf(layout, right)
  addTotal(total, sign === 1 ? other : negateTotal(other))
  writeTotal(layout, total, combined)
  return combined
}

type ColumnText = (column: number) => string

/** The merge of two windows: limb sums and their carries, which SQLite's shift rounds down. */
function mergeSumsSql(layout: ExactSumLayout, stored: ColumnText, added: ColumnText): string[] {
  const sum = (index: number): string => `${stored(index)} + ${added(index)}`
  const texts = layout.columns.map((_, index) => sum(index))
  texts[layout.wide] = 'NULL'
  if (layout.f1 >= 0) {
    const low = `(${sum(layout.f2)})`
    const middle = `(${sum(layout.f1)} + (${low} >> ${LIMB_BITS}))`
    texts[layout.f2] = `${low} & ${LIMB - 1}`
    texts[layout.f1] = `${middle} & ${LIMB - 1}`
    texts[layout.top] = `${sum(layout.top)} + (${middle} >> ${LIMB_BITS})`
  }
  return texts
}

/** Both in the window, and the sum too, a carry included. SQLite would turn a sum beyond int64 into a REAL without a word. */
function mergeSumsGuard(layout: ExactSumLayout, stored: ColumnText, added: ColumnText): string {
  return (
    `(${stored(layout.wide)} IS NULL AND ${added(layout.wide)} IS NULL` +
    ` AND ${stored(layout.top)} + ${added(layout.top)} BETWEEN ${-TOP_END + 1n} AND ${TOP_END - 2n})`
  )
}

/** The sum: NULL of no values; exact where all were integers and decimals, else the nearest double. */
export function finalizeSum(
  layout: ExactSumLayout,
  allExact: boolean,
  state: readonly StateValue[],
  r: Registers,
  out: number,
): void {
  const others = countOf(state, layout.others)
  if (others + countOf(state, layout.integers) === 0) return r.setNull(out)
  const wide = state[layout.wide]
  if (!(wide instanceof Uint8Array)) {
    if (allExact || others === 0) r.setBigInteger(out, bigOf(state[layout.top]!))
    else r.setDouble(out, windowToDouble(layout, state))
    return
  }
  const total = decodeTotal(wide)
  if (allExact || others === total.numerics) return r.setDecimal(out, toDecimal(total))
  const infinite = nonFiniteSum(total)
  if (infinite !== undefined) return r.setDouble(out, infinite)
  const { numerator, denominator } = toFraction(total)
  setFinite(r, out, roundQuotient(numerator, denominator))
}

/** The average: NULL of no values, else the double nearest to the exact quotient. */
export function finalizeAverage(layout: ExactSumLayout, state: readonly StateValue[], r: Registers, out: number): void {
  const count = countOf(state, layout.others)
  if (count === 0) return r.setNull(out)
  const wide = state[layout.wide]
  if (!(wide instanceof Uint8Array)) {
    const top = state[layout.top]!
    const whole = layout.f1 < 0 || (state[layout.f1] === 0 && state[layout.f2] === 0)
    // IEEE division of two safe integers rounds the exact quotient once.
    if (whole && typeof top === 'number' && Number.isSafeInteger(top)) return r.setDouble(out, top / count)
    return r.setDouble(out, roundQuotient(windowUnits(layout, state), BigInt(count) << FRACTION_BITS))
  }
  const total = decodeTotal(wide)
  const infinite = nonFiniteSum(total)
  if (infinite !== undefined) return r.setDouble(out, infinite)
  const { numerator, denominator } = toFraction(total)
  setFinite(r, out, roundQuotient(numerator, denominator * BigInt(count)))
}

/** Number() of a bigint rounds to the nearest double, halves to even; the scaling is exact. */
function windowToDouble(layout: ExactSumLayout, state: readonly StateValue[]): number {
  const top = state[layout.top]!
  const high = state[layout.f1] as number
  // One addition of exact parts is rounded once.
  if (state[layout.f2] === 0 && typeof top === 'number') return top + high / LIMB
  return Number(windowUnits(layout, state)) * 2 ** -Number(FRACTION_BITS)
}

function setFinite(r: Registers, out: number, value: number): void {
  if (Number.isFinite(value)) r.setDouble(out, value)
  else r.setError(out, 'sum_out_of_range', "the total is beyond double precision's range")
}
