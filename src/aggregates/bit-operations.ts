/** Owns BIT_AND, BIT_OR and BIT_XOR over 64-bit integers in two's complement. */
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import { isInt64 } from '../core/number-text.ts'
import type { Accumulator, Aggregate, AggregateDefinition, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import { toStateValue } from './state-value.ts'
import { wrongKind } from './wrong-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const {
  NULL: TAG_NULL,
  INTEGER: TAG_INTEGER,
  BIG_INTEGER: TAG_BIG_INTEGER,
  DOUBLE: TAG_DOUBLE,
  NUMERIC: TAG_NUMERIC,
} = TAG

const OPERATION = { AND: 0, OR: 1, XOR: 2 } as const
type Operation = (typeof OPERATION)[keyof typeof OPERATION]
const { AND, OR } = OPERATION

const HALF = 2 ** 32
const HALF_BITS = 32n
/** Doubles from here on are no 64-bit integers; its negative is one. */
const INT64_END = 2 ** 63

function combine32(operation: Operation, left: number, right: number): number {
  return operation === AND ? left & right : operation === OR ? left | right : left ^ right
}

class BitAccumulator implements Accumulator {
  readonly #name: string
  readonly #operation: Operation
  #seen: Uint8Array = new Uint8Array(0)
  /** The halves of each value, signed as the language's bit operators have them. */
  #high: Int32Array = new Int32Array(0)
  #low: Int32Array = new Int32Array(0)

  constructor(name: string, operation: Operation) {
    this.#name = name
    this.#operation = operation
  }

  grow(capacity: number): void {
    this.#seen = growArray(this.#seen, capacity)
    this.#high = growArray(this.#high, capacity)
    this.#low = growArray(this.#low, capacity)
  }

  /** A double without a fraction is the integer that it equals. */
  check(r: Registers, arg: number): CellError | null {
    switch (r.tag[arg]) {
      case TAG_NULL:
      case TAG_INTEGER:
        return null
      case TAG_BIG_INTEGER:
        return isInt64(r.ref[arg] as bigint) ? null : this.#outOfRange()
      case TAG_DOUBLE: {
        const value = r.num[arg]!
        if (!Number.isInteger(value)) return this.#noInteger()
        return value >= -INT64_END && value < INT64_END ? null : this.#outOfRange()
      }
      case TAG_NUMERIC:
        return this.#noInteger()
      default:
        return wrongKind(this.#name, r, arg)
    }
  }

  #outOfRange(): CellError {
    return { code: 'integer_out_of_range', message: `${this.#name} takes integers of 64 bits` }
  }

  #noInteger(): CellError {
    return { code: 'invalid_argument', message: `${this.#name} takes integers, not a number with a fraction` }
  }

  update(group: number, r: Registers, arg: number): void {
    const tag = r.tag[arg]
    if (tag === TAG_NULL) return
    if (tag === TAG_BIG_INTEGER) {
      const value = r.ref[arg] as bigint
      this.#combine(group, Number(value >> HALF_BITS) | 0, Number(BigInt.asIntN(32, value)))
    } else {
      // The operator takes an integer modulo 2^32, whatever its size.
      const value = r.num[arg]!
      this.#combine(group, Math.floor(value / HALF) | 0, value | 0)
    }
  }

  #combine(group: number, high: number, low: number): void {
    if (this.#seen[group] === 0) {
      this.#seen[group] = 1
      this.#high[group] = high
      this.#low[group] = low
      return
    }
    this.#high[group] = combine32(this.#operation, this.#high[group]!, high)
    this.#low[group] = combine32(this.#operation, this.#low[group]!, low)
  }

  stateOf(group: number, into: StateValue[]): void {
    if (this.#seen[group] === 0) into[0] = null
    else {
      const low = BigInt(this.#low[group]! >>> 0)
      into[0] = toStateValue((BigInt(this.#high[group]!) << HALF_BITS) | low)
    }
  }

  reset(used?: number): void {
    this.#seen.fill(0, 0, used)
  }
}

function merge(operation: Operation, left: StateValue, right: StateValue): StateValue {
  if (left === null || right === null) return left ?? right
  const [a, b] = [BigInt(left as number | bigint), BigInt(right as number | bigint)]
  return toStateValue(operation === AND ? a & b : operation === OR ? a | b : a ^ b)
}

function mergeText(operation: Operation, a: string, b: string): string {
  if (operation === AND) return `${a} & ${b}`
  // SQLite has no operator of exclusive or.
  return operation === OR ? `${a} | ${b}` : `(${a} | ${b}) & ~(${a} & ${b})`
}

function createBits(name: string, operation: Operation): Aggregate {
  return {
    type: 'bigint',
    columns: [{ suffix: '', storage: 'INTEGER' }],
    finishedColumn: 0,
    stateDescription: name,
    canFail: false,
    createAccumulator: () => new BitAccumulator(name, operation),
    identity: () => [null],
    merge: ([left = null], [right = null]) => [merge(operation, left, right)],
    // NULL where either is; coalesce takes the one that is there.
    mergeSql: (stored, added) => [`coalesce(${mergeText(operation, stored(0), added(0))}, ${stored(0)}, ${added(0)})`],
    finalize: ([value = null], r, out) => {
      if (value === null) r.setNull(out)
      else r.setBigInteger(out, BigInt(value as number | bigint))
    },
  }
}

function defineBits(name: string, operation: Operation, doc: AggregateDefinition['doc']): AggregateDefinition {
  const aggregate = createBits(name, operation)
  return {
    name,
    // a value twice changes nothing, but for XOR
    ...(operation === OPERATION.XOR ? {} : { form: 'either' }),
    signature: `${name}(bigint)`,
    doc,
    resolve: ([type, ...more]) => ((type === 'bigint' || type === 'any') && more.length === 0 ? aggregate : undefined),
  }
}

const RULES = 'in 64 bits; NULL of no values. A number that is no such integer is an error.'

export const BIT_AND = defineBits('bit_and', OPERATION.AND, {
  summary: `The bits that all integers have, ${RULES}`,
  example: 'BIT_AND(flags)',
})
export const BIT_OR = defineBits('bit_or', OPERATION.OR, {
  summary: `The bits that any of the integers has, ${RULES}`,
  example: 'BIT_OR(flags)',
})
export const BIT_XOR = defineBits('bit_xor', OPERATION.XOR, {
  summary: `The bits that an odd number of the integers have, ${RULES}`,
  example: 'BIT_XOR(checksum)',
})
