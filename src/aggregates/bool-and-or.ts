/** Owns BOOL_AND with its other name EVERY, and BOOL_OR: of truth values the least and the greatest, false below true. */
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, Aggregate, AggregateDefinition, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import { wrongKind } from './wrong-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const { NULL: TAG_NULL, BOOLEAN: TAG_BOOLEAN } = TAG

/** By group: no value yet, or one more than the value. */
const NONE = 0

class BooleanAccumulator implements Accumulator {
  readonly #name: string
  /** The value that decides: 0 for AND, 1 for OR. */
  readonly #deciding: number
  #values: Uint8Array = new Uint8Array(0)

  constructor(name: string, deciding: number) {
    this.#name = name
    this.#deciding = deciding
  }

  grow(capacity: number): void {
    this.#values = growArray(this.#values, capacity)
  }

  check(r: Registers, arg: number): CellError | null {
    const tag = r.tag[arg]
    return tag === TAG_NULL || tag === TAG_BOOLEAN ? null : wrongKind(this.#name, r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL) return
    const value = r.num[arg]!
    if (value === this.#deciding || this.#values[group] === NONE) this.#values[group] = value + 1
  }

  stateOf(group: number, into: StateValue[]): void {
    const value = this.#values[group]!
    into[0] = value === NONE ? null : value - 1
  }

  reset(used?: number): void {
    this.#values.fill(NONE, 0, used)
  }
}

function createBoolean(name: string, deciding: number): Aggregate {
  const isAnd = deciding === 0
  const call = isAnd ? 'min' : 'max'
  return {
    type: 'boolean',
    columns: [{ suffix: '', storage: 'INTEGER' }],
    finishedColumn: 0,
    stateDescription: name,
    canFail: false,
    createAccumulator: () => new BooleanAccumulator(name, deciding),
    identity: () => [null],
    merge: ([left = null], [right = null]) => {
      if (left === null || right === null) return [left ?? right]
      return [isAnd ? Math.min(Number(left), Number(right)) : Math.max(Number(left), Number(right))]
    },
    // SQLite's min(a, b) is NULL where either is; coalesce takes the one that is there.
    mergeSql: (stored, added) => [`coalesce(${call}(${stored(0)}, ${added(0)}), ${stored(0)}, ${added(0)})`],
    finalize: ([value = null], r, out) => {
      if (value === null) r.setNull(out)
      else r.setBoolean(out, Number(value) !== 0)
    },
  }
}

function defineBoolean(name: string, deciding: number, doc: AggregateDefinition['doc']): AggregateDefinition {
  const aggregate = createBoolean(name, deciding)
  return {
    name,
    form: 'either',
    signature: `${name}(boolean)`,
    doc,
    resolve: ([type, ...more]) => ((type === 'boolean' || type === 'any') && more.length === 0 ? aggregate : undefined),
  }
}

const AND_SUMMARY = 'Whether all values are true, NULL left out. NULL of no values.'

export const BOOL_AND = defineBoolean('bool_and', 0, { summary: AND_SUMMARY, example: 'BOOL_AND(ok)' })
export const EVERY = defineBoolean('every', 0, {
  summary: `${AND_SUMMARY} The same as bool_and.`,
  example: 'EVERY(ok)',
})
export const BOOL_OR = defineBoolean('bool_or', 1, {
  summary: 'Whether a value is true, NULL left out. NULL of no values.',
  example: 'BOOL_OR(failed)',
})
