/**
 * Owns aggregates that keep the first entry of each group (entry-writer.ts): FIRST, LAST, ANY_VALUE. The state is one cell; of two the
 * lesser bytes win, in SQLite too.
 *
 * Bytes: version | the entry | where its value begins in it, u32
 */
import { copyBytes } from '../core/copy-bytes.ts'
import { assert } from '../core/assert.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Accumulator, AccumulatorInput, Aggregate, StateValue } from './aggregate.ts'
import { compareEntries, EntryWriter, type EntryForm } from './entry-writer.ts'
import { growArray } from './grow-array.ts'
import { readKeyValue } from './key-value.ts'

const BYTES_VERSION = 1
const HEAD_BYTES = 1
const VALUE_AT_BYTES = 4
/** Room of a group's entry: a place and a short value. */
const ROOM_BYTES_MIN = 64

// Constants of this file: see exact-sum-accumulator.ts.
const TAG_NULL = TAG.NULL

export interface FirstEntryOptions {
  readonly form: EntryForm
  /** Whether a NULL is a value like others. */
  readonly takesNull: boolean
}

class FirstEntryAccumulator implements Accumulator {
  readonly #takesNull: boolean
  readonly #entry: EntryWriter
  /** By group: its entry's bytes, with room for a longer one, so that a better entry makes no object. */
  readonly #rooms: (Uint8Array | undefined)[] = []
  /** By group; 0: it has no entry. */
  #lengths: Int32Array = new Int32Array(0)
  #valuesAt: Int32Array = new Int32Array(0)
  #roomBytes = 0

  constructor({ form, takesNull }: FirstEntryOptions, input: AccumulatorInput) {
    this.#takesNull = takesNull
    this.#entry = new EntryWriter(form, input)
  }

  grow(capacity: number): void {
    this.#lengths = growArray(this.#lengths, capacity)
    this.#valuesAt = growArray(this.#valuesAt, capacity)
  }

  get extraBytes(): number {
    return this.#roomBytes
  }

  check(r: Registers, arg: number, second: number): CellError | null {
    return this.#entry.check(r, arg, second)
  }

  update(group: number, r: Registers, arg: number): void {
    if (!this.#takesNull && r.tag[arg] === TAG_NULL) return
    const entry = this.#entry
    entry.writeHead(r, arg)
    const length = this.#lengths[group]!
    const room = this.#rooms[group]
    // most records are not the first: their value isn't looked at
    if (room !== undefined && length > 0) {
      const headLength = Math.min(entry.length, length)
      if (compareEntries(entry.bytes, 0, headLength, room, 0, headLength) > 0) return
    }
    entry.writeValue(r, arg)
    if (room !== undefined && length > 0 && compareEntries(entry.bytes, 0, entry.length, room, 0, length) >= 0) return
    this.#keep(group, room)
  }

  #keep(group: number, room: Uint8Array | undefined): void {
    const { bytes, length, valueAt } = this.#entry
    let into = room
    if (into === undefined || into.length < length) {
      into = new Uint8Array(Math.max(ROOM_BYTES_MIN, length + (length >> 1)))
      this.#roomBytes += into.length - (room?.length ?? 0)
      this.#rooms[group] = into
    }
    for (let index = 0; index < length; index++) into[index] = bytes[index]!
    this.#lengths[group] = length
    this.#valuesAt[group] = valueAt
  }

  stateOf(group: number, into: StateValue[]): void {
    const room = this.#rooms[group]
    const length = this.#lengths[group]!
    into[0] = room === undefined || length === 0 ? null : encodeCell(room.subarray(0, length), this.#valuesAt[group]!)
  }

  reset(used?: number): void {
    this.#rooms.length = 0
    this.#roomBytes = 0
    this.#lengths.fill(0, 0, used)
  }
}

function encodeCell(entry: Uint8Array, valueAt: number): Uint8Array {
  const cell = new Uint8Array(HEAD_BYTES + entry.length + VALUE_AT_BYTES)
  cell[0] = BYTES_VERSION
  cell.set(entry, HEAD_BYTES)
  new DataView(cell.buffer).setUint32(HEAD_BYTES + entry.length, valueAt)
  return cell
}

function lesserCell(left: StateValue, right: StateValue): StateValue {
  if (left === null || right === null) return left ?? right
  return Buffer.compare(left as Uint8Array, right as Uint8Array) <= 0 ? left : right
}

function finalizeCell(cell: Uint8Array, type: ScalarType, r: Registers, out: number): void {
  assert(cell[0] === BYTES_VERSION, `a first entry has version ${cell[0]}`)
  const view = new DataView(cell.buffer, cell.byteOffset, cell.length)
  const valueAt = view.getUint32(cell.length - VALUE_AT_BYTES)
  // the register views it, SQLite's own bytes are gone after the call
  readKeyValue(copyBytes(cell, HEAD_BYTES + valueAt, cell.length - VALUE_AT_BYTES), 0, type, r, out)
}

/** Keeps the first entry of values of that type. */
export function createFirstEntry(name: string, type: ScalarType, options: FirstEntryOptions): Aggregate {
  return {
    type,
    columns: [{ suffix: '', storage: 'BLOB' }],
    stateDescription: options.form === 'set' ? `${name}: a value` : `${name}: a value and its place`,
    canFail: false,
    createAccumulator: (input) => new FirstEntryAccumulator(options, input),
    identity: () => [null],
    merge: ([left], [right]) => [lesserCell(left!, right!)],
    // SQLite's min(a, b) is NULL where either is; coalesce takes the one that is there.
    mergeSql: (stored, added) => [`coalesce(min(${stored(0)}, ${added(0)}), ${stored(0)}, ${added(0)})`],
    finalize: ([cell], r, out) => {
      if (cell instanceof Uint8Array) finalizeCell(cell, type, r, out)
      else r.setNull(out)
    },
  }
}
