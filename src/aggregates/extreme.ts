/**
 * Owns what MIN and MAX share: their state columns, merge and finished values. A declared type has one column, native where
 * SQLite's min() and max() order it rightly; an undeclared value has one extreme per kind, since kinds never compare.
 */
import { assert } from '../core/assert.ts'
import { KeyWriter } from '../core/key-bytes.ts'
import { readKeyInto } from '../core/key-reader.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Accumulator, Aggregate, AggregateDefinition, ColumnFold, StateColumn, StateValue } from './aggregate.ts'
import { ExtremeNumbers, ExtremeTexts, type Direction } from './extreme-values.ts'
import { KeyCell } from './key-cell.ts'
import { wrongKind } from './wrong-kind.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { NULL: TAG_NULL, BOOLEAN: TAG_BOOLEAN, TEXT: TAG_TEXT } = TAG
const { INTEGER: TAG_INTEGER, BIG_INTEGER: TAG_BIG_INTEGER, DOUBLE: TAG_DOUBLE, NUMERIC: TAG_NUMERIC } = TAG

/** A kind of value that a state keeps apart, and how its extreme stands in the column. */
const SLOT = {
  /** INTEGER: bigint, boolean, points in time */
  integer: 'integer',
  /** REAL; NaN is its key bytes, a BLOB, above all numbers for SQLite too */
  double: 'double',
  /** BLOB: key bytes */
  number: 'number',
  /** BLOB: key bytes (the bare UTF-8 bytes of an empty text would be bound as NULL) */
  text: 'text',
  /** BLOB: key bytes, compared as such */
  key: 'key',
} as const
type Slot = (typeof SLOT)[keyof typeof SLOT]

interface Form {
  readonly columns: readonly StateColumn[]
  readonly finished: boolean
}

const DECLARED_FORMS: Partial<Record<ScalarType, Form & { readonly slot: Slot }>> = {
  boolean: { slot: 'integer', columns: [{ suffix: '', storage: 'INTEGER' }], finished: true },
  bigint: { slot: 'integer', columns: [{ suffix: '', storage: 'INTEGER' }], finished: true },
  timestamptz: { slot: 'integer', columns: [{ suffix: '', storage: 'INTEGER' }], finished: true },
  timestamp: { slot: 'integer', columns: [{ suffix: '', storage: 'INTEGER' }], finished: true },
  date: { slot: 'integer', columns: [{ suffix: '', storage: 'INTEGER' }], finished: true },
  interval: { slot: 'key', columns: [{ suffix: '', storage: 'BLOB' }], finished: true },
  'double precision': { slot: 'double', columns: [{ suffix: '', storage: 'REAL' }], finished: true },
  numeric: { slot: 'number', columns: [{ suffix: '', storage: 'BLOB' }], finished: true },
  number: { slot: 'number', columns: [{ suffix: '', storage: 'BLOB' }], finished: true },
  text: { slot: 'text', columns: [{ suffix: '', storage: 'BLOB' }], finished: false },
}

/** Columns of an undeclared value. */
const KIND_COLUMNS: readonly StateColumn[] = [
  { suffix: '_number', storage: 'BLOB' },
  { suffix: '_text', storage: 'BLOB' },
  { suffix: '_boolean', storage: 'INTEGER' },
]
const KIND_NAMES = ['number', 'text', 'boolean'] as const

/** The extreme of numbers as its slot's cell. */
function toCell(numbers: ExtremeNumbers, group: number, slot: Slot, cell: KeyCell): StateValue {
  const value = numbers.extremeOf(group)
  if (value === null) return null
  if (typeof value === 'number' && slot !== 'number' && !Number.isNaN(value)) return value
  if (slot !== 'integer') return cell.encodeNumber(value)
  assert(typeof value === 'object' && value.scale === 0, 'an integer extreme is an integer')
  return value.unscaled
}

function toTextCell(texts: ExtremeTexts, group: number, cell: KeyCell): StateValue {
  const text = texts.extremeOf(group)
  return text === null ? null : cell.encodeText(text)
}

class DeclaredExtreme implements Accumulator {
  readonly #slot: Slot
  readonly #numbers: ExtremeNumbers
  readonly #texts: ExtremeTexts
  readonly #cell = new KeyCell()
  readonly #key = new KeyWriter()

  constructor(slot: Slot, direction: Direction) {
    this.#slot = slot
    this.#numbers = new ExtremeNumbers(direction)
    this.#texts = new ExtremeTexts(direction)
  }

  grow(capacity: number): void {
    if (this.#slot !== 'text' && this.#slot !== 'key') this.#numbers.grow(capacity)
  }

  get extraBytes(): number {
    return this.#numbers.extraBytes + this.#texts.extraBytes
  }

  check(): null {
    return null
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL) return
    if (this.#slot === 'text') this.#texts.offer(group, r, arg)
    else if (this.#slot === 'key') this.#offerKey(group, r, arg)
    else this.#numbers.offer(group, r, arg)
  }

  stateOf(group: number, into: StateValue[]): void {
    if (this.#slot === 'text') into[0] = toTextCell(this.#texts, group, this.#cell)
    else if (this.#slot === 'key') into[0] = this.#texts.extremeOf(group)
    else into[0] = toCell(this.#numbers, group, this.#slot, this.#cell)
  }

  #offerKey(group: number, r: Registers, arg: number): void {
    const key = this.#key
    key.reset()
    key.appendRegister(r, arg)
    this.#texts.offerBytes(group, key.bytes, 0, key.length)
  }

  reset(used?: number): void {
    this.#numbers.reset(used)
    this.#texts.reset()
  }
}

class UndeclaredExtreme implements Accumulator {
  readonly #name: string
  readonly #numbers: ExtremeNumbers
  readonly #texts: ExtremeTexts
  readonly #booleans: ExtremeNumbers
  readonly #cell = new KeyCell()

  constructor(name: string, direction: Direction) {
    this.#name = name
    this.#numbers = new ExtremeNumbers(direction)
    this.#texts = new ExtremeTexts(direction)
    this.#booleans = new ExtremeNumbers(direction)
  }

  grow(capacity: number): void {
    this.#numbers.grow(capacity)
    this.#booleans.grow(capacity)
  }

  get extraBytes(): number {
    return this.#numbers.extraBytes + this.#texts.extraBytes
  }

  check(r: Registers, arg: number): CellError | null {
    switch (r.tag[arg]) {
      case TAG_NULL:
      case TAG_BOOLEAN:
      case TAG_INTEGER:
      case TAG_BIG_INTEGER:
      case TAG_DOUBLE:
      case TAG_NUMERIC:
      case TAG_TEXT:
        return null
      default:
        return wrongKind(this.#name, r, arg)
    }
  }

  update(group: number, r: Registers, arg: number): void {
    switch (r.tag[arg]) {
      case TAG_NULL:
        return
      case TAG_TEXT:
        return this.#texts.offer(group, r, arg)
      case TAG_BOOLEAN:
        return this.#booleans.offer(group, r, arg)
      default:
        return this.#numbers.offer(group, r, arg)
    }
  }

  stateOf(group: number, into: StateValue[]): void {
    into[0] = toCell(this.#numbers, group, 'number', this.#cell)
    into[1] = toTextCell(this.#texts, group, this.#cell)
    into[2] = toCell(this.#booleans, group, 'integer', this.#cell)
  }

  reset(used?: number): void {
    this.#numbers.reset(used)
    this.#texts.reset()
    this.#booleans.reset(used)
  }
}

/** The order of SQLite's min() and max() with NULL left out: numbers, then BLOBs by their bytes. */
function extremeCell(direction: Direction, left: StateValue, right: StateValue): StateValue {
  if (left === null) return right
  if (right === null) return left
  return compareCells(left, right) * direction >= 0 ? left : right
}

function compareCells(left: number | bigint | Uint8Array, right: number | bigint | Uint8Array): number {
  if (left instanceof Uint8Array) return right instanceof Uint8Array ? Buffer.compare(left, right) : 1
  if (right instanceof Uint8Array) return -1
  return left < right ? -1 : left > right ? 1 : 0
}

function mergeExtremes(
  columns: readonly StateColumn[],
  direction: Direction,
): Pick<Aggregate, 'identity' | 'merge' | 'mergeSql'> {
  const call = direction > 0 ? 'max' : 'min'
  return {
    identity: () => columns.map(() => null),
    merge: (left, right) => columns.map((_, index) => extremeCell(direction, left[index]!, right[index]!)),
    // SQLite's max(a, b) is NULL where either is; coalesce takes the one that is there.
    mergeSql: (stored, added) =>
      columns.map((_, index) => {
        const [a, b] = [stored(index), added(index)]
        return `coalesce(${call}(${a}, ${b}), ${a}, ${b})`
      }),
  }
}

function finalizeCell(type: ScalarType, value: StateValue, r: Registers, out: number): void {
  if (value === null) return r.setNull(out)
  if (value instanceof Uint8Array) {
    readKeyInto(value, 0, r, out)
    return
  }
  switch (type) {
    case 'boolean':
      return r.setBoolean(out, Number(value) !== 0)
    case 'double precision':
      return r.setDouble(out, Number(value))
    case 'timestamptz':
      return r.setBigTimestamp(out, BigInt(value))
    case 'timestamp':
      r.setBigTimestamp(out, BigInt(value))
      return r.toLocal(out)
    case 'date':
      return r.setDate(out, Number(value))
    default:
      return r.setBigInteger(out, BigInt(value))
  }
}

/** Of one native column. */
function foldOf(direction: Direction): ColumnFold {
  return { kinds: [kindOf(direction)], toState: ([extreme]) => [extreme ?? null] }
}

/** Of numbers alone: key bytes of them, which a fold takes as the numbers. */
function foldOfNumbers(direction: Direction): ColumnFold {
  const cell = new KeyCell()
  return {
    kinds: [kindOf(direction), 'none', 'none'],
    toState: ([extreme = null]) => [typeof extreme === 'number' ? cell.encodeNumber(extreme) : extreme, null, null],
  }
}

function kindOf(direction: Direction): 'greatest' | 'least' {
  return direction > 0 ? 'greatest' : 'least'
}

function createDeclared(name: string, direction: Direction, type: ScalarType): Aggregate | undefined {
  const form = DECLARED_FORMS[type]
  if (form === undefined) return undefined
  const { slot, columns, finished } = form
  return {
    type,
    columns,
    ...(finished ? { finishedColumn: 0 } : {}),
    ...(columns.every(({ storage }) => storage !== 'BLOB') ? { columnFold: foldOf(direction) } : {}),
    stateDescription: name,
    canFail: false,
    createAccumulator: () => new DeclaredExtreme(slot, direction),
    ...mergeExtremes(columns, direction),
    finalize: ([value], r, out) => finalizeCell(type, value ?? null, r, out),
  }
}

function createUndeclared(name: string, direction: Direction): Aggregate {
  return {
    type: 'any',
    columns: KIND_COLUMNS,
    columnFold: foldOfNumbers(direction),
    stateDescription: `${name} of each kind`,
    canFail: true,
    createAccumulator: () => new UndeclaredExtreme(name, direction),
    ...mergeExtremes(KIND_COLUMNS, direction),
    finalize: (state, r, out) => {
      const kinds = KIND_NAMES.filter((_, index) => state[index] !== null)
      if (kinds.length > 1) {
        return r.setError(out, 'mixed_kinds', `${name} over values of kinds ${kinds.join(' and ')}`)
      }
      const index = state.findIndex((value) => value !== null)
      if (index < 0) return r.setNull(out)
      finalizeCell(KIND_NAMES[index]!, state[index]!, r, out)
    },
  }
}

/** MIN or MAX. */
export function defineExtreme(
  name: string,
  direction: Direction,
  doc: AggregateDefinition['doc'],
): AggregateDefinition {
  return {
    name,
    form: 'either',
    signature: `${name}(value)`,
    doc,
    resolve([type, ...more]) {
      if (type === undefined || type === 'jsonb' || more.length > 0) return undefined
      return type === 'any' ? createUndeclared(name, direction) : createDeclared(name, direction, type)
    },
  }
}
