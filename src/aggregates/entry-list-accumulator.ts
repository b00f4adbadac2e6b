/**
 * Owns lists of entries of many groups while records are folded. All entries stand in one arena, those of a group in a chain; a group with
 * twice what it may keep is cut to its first ones. So a record costs no object, and a group no more than that.
 */
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, AccumulatorInput, StateValue } from './aggregate.ts'
import {
  EntryListWriter,
  identityLength,
  ROW_BOUNDS,
  STATE_BOUNDS,
  type EntryBounds,
  type Sameness,
} from './entry-list.ts'
import { compareEntries, EntryWriter, type EntryForm } from './entry-writer.ts'
import { growArray } from './grow-array.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const TAG_NULL = TAG.NULL

const ENTRIES_MIN = 64
const ARENA_BYTES_MIN = 64 * ENTRIES_MIN
/** Room that is kept for the next batch. */
const ARENA_KEPT_BYTES_MAX = 1 << 24
/** An entry's place, length, value and follower. */
const ENTRY_BYTES = 4 * 4
const LONG_VALUE: CellError = {
  code: 'invalid_argument',
  message: `a value of the object is longer than ${STATE_BOUNDS.mapValueBytesMax} bytes, with its keys of ORDER BY`,
}
/** Entries are numbered from 1; 0 ends a chain. */
const NONE = 0

export interface EntryListOptions {
  readonly form: EntryForm
  readonly sameness: Sameness
  readonly takesNull: boolean
  /** What is wrong with the arguments beside what has no bytes. */
  readonly check?: (r: Registers, arg: number) => CellError | null
}

export class EntryListAccumulator implements Accumulator {
  readonly #options: EntryListOptions
  readonly #bounds: EntryBounds
  readonly #entry: EntryWriter
  #arena: Uint8Array = new Uint8Array(ARENA_BYTES_MIN)
  #arenaUsed = 0
  #place: Uint32Array = new Uint32Array(ENTRIES_MIN)
  #length: Uint32Array = new Uint32Array(ENTRIES_MIN)
  #valueAt: Uint32Array = new Uint32Array(ENTRIES_MIN)
  #next: Int32Array = new Int32Array(ENTRIES_MIN)
  #entries = 0
  /** By group: its last entry, how many, their bytes. */
  #first: Int32Array = new Int32Array(0)
  #count: Int32Array = new Int32Array(0)
  #bytes: Float64Array = new Float64Array(0)
  /** By group: the bytes at which it is cut. */
  #cutAt: Float64Array = new Float64Array(0)
  /** By group that has been cut with entries left out: the last that was kept; what comes behind it is left out at once. */
  #limit: Int32Array = new Int32Array(0)
  /** In the arena, of entries that were cut from their chains. */
  #droppedBytes = 0

  constructor(options: EntryListOptions, input: AccumulatorInput) {
    this.#options = options
    this.#bounds = input.bounds === 'rows' ? ROW_BOUNDS : STATE_BOUNDS
    this.#entry = new EntryWriter(options.form, input)
  }

  grow(capacity: number): void {
    const before = this.#cutAt.length
    this.#first = growArray(this.#first, capacity)
    this.#count = growArray(this.#count, capacity)
    this.#bytes = growArray(this.#bytes, capacity)
    this.#limit = growArray(this.#limit, capacity)
    this.#cutAt = growArray(this.#cutAt, capacity)
    this.#cutAt.fill(2 * this.#bounds.bytesMax, before)
  }

  get extraBytes(): number {
    return this.#entries * ENTRY_BYTES + this.#arenaUsed
  }

  check(r: Registers, arg: number, second: number): CellError | null {
    const error = this.#options.check?.(r, arg) ?? this.#entry.check(r, arg, second)
    if (error !== null || this.#options.form !== 'latest') return error
    return this.#entry.valueLength(r, second) > this.#bounds.mapValueBytesMax ? LONG_VALUE : null
  }

  update(group: number, r: Registers, arg: number, second: number): void {
    if (!this.#options.takesNull && r.tag[arg] === TAG_NULL) return
    const entry = this.#entry
    entry.writeHead(r, arg)
    entry.writeValue(r, this.#options.form === 'latest' ? second : arg)
    const limit = this.#limit[group]!
    if (limit !== NONE && this.#isBehind(limit)) return
    this.#append(group)
    if (this.#count[group]! >= 2 * this.#bounds.valuesMax || this.#bytes[group]! > this.#cutAt[group]!) this.#cut(group)
  }

  /** Whether the entry that was written stands behind another one, and isn't the same. */
  #isBehind(limit: number): boolean {
    const { bytes, length } = this.#entry
    const { sameness } = this.#options
    const place = this.#place[limit]!
    const own = identityLength(sameness, bytes, 0, length)
    const other = identityLength(sameness, this.#arena, place, this.#length[limit]!)
    return compareEntries(bytes, 0, own, this.#arena, place, other) > 0
  }

  #append(group: number): void {
    const { bytes, length, valueAt } = this.#entry
    if (this.#arenaUsed + length > this.#arena.length) this.#makeRoom(length)
    const entry = ++this.#entries
    if (entry === this.#place.length) this.#growEntries()
    const place = this.#arenaUsed
    for (let index = 0; index < length; index++) this.#arena[place + index] = bytes[index]!
    this.#arenaUsed += length
    this.#place[entry] = place
    this.#length[entry] = length
    this.#valueAt[entry] = valueAt
    this.#next[entry] = this.#first[group]!
    this.#first[group] = entry
    this.#count[group]! += 1
    this.#bytes[group]! += length
  }

  #growEntries(): void {
    const capacity = this.#place.length * 2
    this.#place = growArray(this.#place, capacity)
    this.#length = growArray(this.#length, capacity)
    this.#valueAt = growArray(this.#valueAt, capacity)
    this.#next = growArray(this.#next, capacity)
  }

  #makeRoom(length: number): void {
    if (this.#droppedBytes * 2 > this.#arenaUsed) this.#compact()
    const needed = this.#arenaUsed + length
    if (needed > this.#arena.length) this.#arena = growArray(this.#arena, Math.max(needed, this.#arena.length * 2))
  }

  /** Writes all chains anew, without what was dropped. */
  #compact(): void {
    const arena = new Uint8Array(this.#arena.length)
    const [place, length, valueAt] = [this.#place, this.#length, this.#valueAt].map((array) => array.slice())
    const next = this.#next.slice()
    let used = 0
    let entries = 0
    for (let group = 0; group < this.#first.length; group++) {
      const limit = this.#limit[group]!
      let chain = NONE
      for (let old = this.#first[group]!; old !== NONE; old = next[old]!) {
        const entry = ++entries
        arena.set(this.#arena.subarray(place![old], place![old]! + length![old]!), used)
        this.#place[entry] = used
        this.#length[entry] = length![old]!
        this.#valueAt[entry] = valueAt![old]!
        this.#next[entry] = chain
        chain = entry
        used += length![old]!
        if (old === limit) this.#limit[group] = entry
      }
      this.#first[group] = chain
    }
    this.#arena = arena
    this.#arenaUsed = used
    this.#entries = entries
    this.#droppedBytes = 0
  }

  /** The group's entries in their order. */
  #sorted(group: number): Int32Array {
    const sorted = new Int32Array(this.#count[group]!)
    let index = 0
    for (let entry = this.#first[group]!; entry !== NONE; entry = this.#next[entry]!) sorted[index++] = entry
    const arena = this.#arena
    const [place, length] = [this.#place, this.#length]
    return sorted.sort((a, b) => compareEntries(arena, place[a]!, length[a]!, arena, place[b]!, length[b]!))
  }

  #writeList(group: number, kept: (entry: number) => void): { readonly list: Uint8Array; readonly isPast: boolean } {
    const past = this.#limit[group] !== NONE
    const { sameness } = this.#options
    const count = this.#count[group]!
    const writer = new EntryListWriter(sameness, this.#bounds, this.#bytes[group]!, count, past)
    for (const entry of this.#sorted(group)) {
      if (!writer.add(this.#arena, this.#place[entry]!, this.#length[entry]!, this.#valueAt[entry]!)) break
      kept(entry)
    }
    const list = writer.finish()
    return { list, isPast: list[1] === 1 }
  }

  /** Leaves out what the group may not keep. */
  #cut(group: number): void {
    const before = this.#bytes[group]!
    const kept: number[] = []
    const { isPast } = this.#writeList(group, (entry) => kept.push(entry))
    let [chain, count, bytes, last] = [NONE, 0, 0, NONE]
    for (const entry of kept) {
      // of entries that are one the first is kept
      if (last !== NONE && this.#isSame(last, entry)) continue
      this.#next[entry] = chain
      chain = last = entry
      count += 1
      bytes += this.#length[entry]!
    }
    this.#first[group] = chain
    this.#count[group] = count
    this.#bytes[group] = bytes
    this.#cutAt[group] = bytes + this.#bounds.bytesMax
    this.#limit[group] = isPast ? last : NONE
    this.#droppedBytes += before - bytes
  }

  #isSame(left: number, right: number): boolean {
    const { sameness } = this.#options
    if (sameness === 'none') return false
    const arena = this.#arena
    const [l, r] = [this.#place[left]!, this.#place[right]!]
    const own = identityLength(sameness, arena, l, this.#length[left]!)
    const other = identityLength(sameness, arena, r, this.#length[right]!)
    return compareEntries(arena, l, own, arena, r, other) === 0
  }

  stateOf(group: number, into: StateValue[]): void {
    into[0] = this.#count[group] === 0 ? null : this.#writeList(group, () => undefined).list
  }

  reset(used?: number): void {
    // gives the memory of an unusually large batch back
    if (this.#arena.length > ARENA_KEPT_BYTES_MAX) this.#arena = new Uint8Array(ARENA_BYTES_MIN)
    this.#arenaUsed = 0
    this.#entries = 0
    this.#droppedBytes = 0
    this.#first.fill(NONE, 0, used)
    this.#count.fill(0, 0, used)
    this.#bytes.fill(0, 0, used)
    this.#limit.fill(NONE, 0, used)
    this.#cutAt.fill(2 * this.#bounds.bytesMax, 0, used)
  }
}
