/**
 * Owns MIN_BY(value, by) and MAX_BY: the value of the record whose `by` is least or greatest. A state cell is the key bytes of `by`, for MAX_BY
 * each byte flipped, then those of the value: keys end by themselves, so of two cells the lesser bytes win, in SQLite too, and
 * of equal extremes the least value does, whatever the order and split (law 5). An undeclared `by` has one cell per kind, as MIN and MAX.
 */
import { copyBytes } from '../core/copy-bytes.ts'
import { KeyWriter } from '../core/key-bytes.ts'
import { skipKey } from '../core/key-reader.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Accumulator, Aggregate, AggregateDefinition, StateColumn, StateValue } from './aggregate.ts'
import type { Direction } from './extreme-values.ts'
import { readKeyValue, UNKEYED, UNREADABLE } from './key-value.ts'
import { wrongKind } from './wrong-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const { NULL: TAG_NULL, BOOLEAN: TAG_BOOLEAN, TEXT: TAG_TEXT, JSON: TAG_JSON } = TAG
const { INTEGER: TAG_INTEGER, BIG_INTEGER: TAG_BIG_INTEGER, DOUBLE: TAG_DOUBLE, NUMERIC: TAG_NUMERIC } = TAG

const DECLARED_COLUMNS: readonly StateColumn[] = [{ suffix: '', storage: 'BLOB' }]
/** Columns of an undeclared `by`. */
const KIND_COLUMNS: readonly StateColumn[] = [
  { suffix: '_number', storage: 'BLOB' },
  { suffix: '_text', storage: 'BLOB' },
  { suffix: '_boolean', storage: 'BLOB' },
]
const [NUMBER_SLOT, TEXT_SLOT, BOOLEAN_SLOT] = [0, 1, 2] as const
const KIND_NAMES = ['number', 'text', 'boolean'] as const

/** Guess of what an entry takes beside its bytes, for the caller's bound on memory. */
const ENTRY_BYTES = 100

class ExtremeByAccumulator implements Accumulator {
  readonly #name: string
  readonly #direction: Direction
  readonly #isDeclared: boolean
  /** By slot, then by group. */
  readonly #cells: (Uint8Array | undefined)[][]
  readonly #key = new KeyWriter()
  #bytes = 0

  constructor(name: string, direction: Direction, columns: readonly StateColumn[]) {
    this.#name = name
    this.#direction = direction
    this.#isDeclared = columns === DECLARED_COLUMNS
    this.#cells = columns.map(() => [])
  }

  /** The lists grow with what they hold. */
  grow(): void {}

  get extraBytes(): number {
    return this.#bytes
  }

  /** Arrays and objects may hold what no key can. */
  check(r: Registers, arg: number, second: number): CellError | null {
    const tag = r.tag[arg]
    if (tag === TAG_JSON) {
      this.#key.reset()
      const error = this.#key.appendRegister(r, arg)
      if (error !== null) return error
    }
    return r.tag[second] === TAG_NULL || this.#slotOf(r, second) >= 0 ? null : wrongKind(this.#name, r, second)
  }

  /** -1: a kind that has no order here. */
  #slotOf(r: Registers, by: number): number {
    if (this.#isDeclared) return 0
    switch (r.tag[by]) {
      case TAG_INTEGER:
      case TAG_BIG_INTEGER:
      case TAG_DOUBLE:
      case TAG_NUMERIC:
        return NUMBER_SLOT
      case TAG_TEXT:
        return TEXT_SLOT
      case TAG_BOOLEAN:
        return BOOLEAN_SLOT
      default:
        return -1
    }
  }

  update(group: number, r: Registers, arg: number, second: number): void {
    if (r.tag[second] === TAG_NULL) return
    const cells = this.#cells[this.#slotOf(r, second)]!
    const old = cells[group]
    const key = this.#key
    key.reset()
    key.appendRegister(r, second)
    const byLength = key.length
    if (this.#direction > 0) flip(key.bytes, byLength)
    // most records have no new extreme: their value isn't looked at
    if (old !== undefined && compareBytes(key.bytes, byLength, old) > 0) return
    key.appendRegister(r, arg)
    if (old !== undefined && compareBytes(key.bytes, key.length, old) >= 0) return
    cells[group] = key.bytes.slice(0, key.length)
    this.#bytes += key.length - (old === undefined ? -ENTRY_BYTES : old.length)
  }

  stateOf(group: number, into: StateValue[]): void {
    for (const [slot, cells] of this.#cells.entries()) into[slot] = cells[group] ?? null
  }

  reset(): void {
    for (const slot of this.#cells.keys()) this.#cells[slot] = []
    this.#bytes = 0
  }
}

function flip(bytes: Uint8Array, length: number): void {
  for (let index = 0; index < length; index++) bytes[index] = ~bytes[index]!
}

/** Of as many bytes as both have: neither is the beginning of another cell. */
function compareBytes(bytes: Uint8Array, length: number, other: Uint8Array): number {
  const shared = Math.min(length, other.length)
  for (let index = 0; index < shared; index++) {
    const difference = bytes[index]! - other[index]!
    if (difference !== 0) return difference
  }
  return 0
}

function lesserCell(left: StateValue, right: StateValue): StateValue {
  if (left === null || right === null) return left ?? right
  return Buffer.compare(left as Uint8Array, right as Uint8Array) <= 0 ? left : right
}

/** Reads the value behind `by`. */
function finalizeCell(cell: Uint8Array, direction: Direction, type: ScalarType, r: Registers, out: number): void {
  let by = cell
  if (direction > 0) {
    // SQLite's cells are Buffers, whose slice is no copy
    by = copyBytes(cell, 0, cell.length)
    flip(by, by.length)
  }
  readKeyValue(cell, skipKey(by, 0), type, r, out)
}

function createExtremeBy(name: string, direction: Direction, type: ScalarType, by: ScalarType): Aggregate {
  const columns = by === 'any' ? KIND_COLUMNS : DECLARED_COLUMNS
  return {
    type,
    columns,
    stateDescription: by === 'any' ? `${name}: extreme and value of each kind` : `${name}: extreme and value`,
    canFail: by === 'any',
    createAccumulator: () => new ExtremeByAccumulator(name, direction, columns),
    identity: () => columns.map(() => null),
    merge: (left, right) => columns.map((_, index) => lesserCell(left[index]!, right[index]!)),
    // SQLite's min(a, b) is NULL where either is; coalesce takes the one that is there.
    mergeSql: (stored, added) =>
      columns.map((_, index) => {
        const [a, b] = [stored(index), added(index)]
        return `coalesce(min(${a}, ${b}), ${a}, ${b})`
      }),
    finalize: (state, r, out) => {
      const kinds = KIND_NAMES.filter((_, index) => state[index] instanceof Uint8Array)
      if (kinds.length > 1) {
        return r.setError(out, 'mixed_kinds', `${name} over a "by" of kinds ${kinds.join(' and ')}`)
      }
      const cell = state.find((value) => value instanceof Uint8Array)
      if (cell === undefined) r.setNull(out)
      else finalizeCell(cell, direction, type, r, out)
    },
  }
}

function defineExtremeBy(name: string, direction: Direction, doc: AggregateDefinition['doc']): AggregateDefinition {
  return {
    name,
    signature: `${name}(value, by)`,
    doc,
    resolve([type, by, ...more]) {
      if (type === undefined || by === undefined || more.length > 0) return undefined
      // as of an undeclared value, an array or object has no order here
      if (by === 'jsonb') return undefined
      return UNREADABLE.has(type) || UNKEYED.has(by) ? undefined : createExtremeBy(name, direction, type, by)
    },
  }
}

const RULES =
  'Records whose `by` is NULL are left out; of equal ones the least value counts, NULL after all others. `by` of several kinds in one group: an error when it is read.'

export const MIN_BY = defineExtremeBy('min_by', -1, {
  summary: `The value of the record with the least \`by\`, which may be NULL. ${RULES}`,
  example: 'MIN_BY(status, ts)',
})
export const MAX_BY = defineExtremeBy('max_by', 1, {
  summary: `The value of the record with the greatest \`by\`, which may be NULL. ${RULES}`,
  example: 'MAX_BY(status, ts)',
})
