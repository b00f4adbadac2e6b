/**
 * Owns the reading of grouping values from group key bytes into cells as the leaf's columns hold them: native values for
 * declared types, key bytes for the others (core/scalar-type.ts, toColumnStorage).
 */
import { assert } from '../core/assert.ts'
import { KEY_TAG } from '../core/key-bytes.ts'
import { readKeyInto, skipKey } from '../core/key-reader.ts'
import { Registers, TAG } from '../core/registers.ts'
import { type Cell, toColumnStorage, type ScalarType } from '../core/scalar-type.ts'

/** Behind the grouping set's number. */
const FIRST_VALUE_AT = 1
const TIMESTAMP_BYTES = 9
/** Texts that are remembered per column: grouping values repeat, and looking one up costs less than making a string. */
const REMEMBERED_TEXTS = 1 << 10
const REMEMBERED_TEXT_BYTES_MAX = 64

export class GroupValueReader {
  readonly #types: readonly ScalarType[]
  readonly #texts: readonly TextMemory[]
  readonly #r = new Registers(1)
  readonly #groupings: readonly number[]

  /** `types`: of the values in a key. `groupings`: GROUPING of each grouping set, which is one more cell; empty where there is one set. */
  constructor(types: readonly ScalarType[], groupings: readonly number[]) {
    this.#types = types
    this.#groupings = groupings
    this.#texts = types.map(() => new TextMemory())
  }

  /** Fills `into`, one cell per grouping column. Errors: BrokenInvariant for a key that holds other values. */
  read(key: Uint8Array, into: Cell[]): void {
    let at = FIRST_VALUE_AT
    for (let column = 0; column < this.#types.length; column++) {
      const next = at + lengthAt(key, at)
      into[column] = this.#cell(column, key, at, next)
      at = next
    }
    assert(at === key.length, 'a group key has one value per grouping column')
    if (this.#groupings.length > 0) into[this.#types.length] = this.#groupingOf(key)
  }

  #groupingOf(key: Uint8Array): number {
    const grouping = this.#groupings[key[0]!]
    assert(grouping !== undefined, `there is no grouping set ${key[0]}`)
    return grouping
  }

  #cell(column: number, key: Uint8Array, at: number, next: number): Cell {
    const tag = key[at]
    if (tag === KEY_TAG.NULL) return null
    const type = this.#types[column]!
    if (tag === KEY_TAG.TEXT && type === 'text') return this.#texts[column]!.textOf(key, at + 1, next - 1)
    const storage = toColumnStorage(type)
    if (storage === 'BLOB') return key.subarray(at, next)
    if (tag === KEY_TAG.TIMESTAMP) return timestampAt(key, at + 1)
    const r = this.#r
    readKeyInto(key, at, r, 0)
    switch (r.tag[0]) {
      case TAG.BOOLEAN:
      case TAG.INTEGER:
      case TAG.TIMESTAMP:
      case TAG.LOCAL_TIMESTAMP:
      case TAG.DATE:
        return r.num[0]!
      case TAG.DOUBLE:
        // SQLite has no NaN: its key bytes stand for it.
        return Number.isNaN(r.num[0]) ? key.subarray(at, next) : r.num[0]!
      default: {
        assert(
          r.tag[0] === TAG.BIG_INTEGER || r.tag[0] === TAG.BIG_TIMESTAMP || r.tag[0] === TAG.BIG_LOCAL_TIMESTAMP,
          `a ${type} column can't hold key tag ${tag}`,
        )
        const value = r.ref[0] as bigint
        return storage === 'REAL' ? Number(value) : value
      }
    }
  }
}

/** A number where it is a safe one, else a bigint; its sign is turned around in the key, so that keys are in its order. */
function timestampAt(key: Uint8Array, at: number): number | bigint {
  const high = ((key[at]! ^ 0x80) << 24) | (key[at + 1]! << 16) | (key[at + 2]! << 8) | key[at + 3]! | 0
  const low = ((key[at + 4]! << 24) | (key[at + 5]! << 16) | (key[at + 6]! << 8) | key[at + 7]!) >>> 0
  const value = high * 2 ** 32 + low
  return Number.isSafeInteger(value) ? value : BigInt(high) * 2n ** 32n + BigInt(low)
}

/** As skipKey; the two commonest without a call. */
function lengthAt(key: Uint8Array, at: number): number {
  if (key[at] === KEY_TAG.TIMESTAMP) return TIMESTAMP_BYTES
  if (key[at] === KEY_TAG.TEXT) return key.indexOf(0, at) + 1 - at
  return skipKey(key, at) - at
}

/** Strings by their bytes, the last one for each hash. */
class TextMemory {
  readonly #bytes: (Uint8Array | undefined)[] = []
  readonly #strings: string[] = []

  /** Text without NUL, so that its key bytes are its bytes. */
  textOf(key: Uint8Array, start: number, end: number): string {
    if (end - start > REMEMBERED_TEXT_BYTES_MAX) return decode(key, start, end)
    let hash = 0
    for (let index = start; index < end; index++) hash = (Math.imul(hash, 31) + key[index]!) | 0
    const slot = (hash ^ (hash >>> 10)) & (REMEMBERED_TEXTS - 1)
    const known = this.#bytes[slot]
    if (known !== undefined && isSame(known, key, start, end)) return this.#strings[slot]!
    const text = decode(key, start, end)
    this.#bytes[slot] = key.slice(start, end)
    this.#strings[slot] = text
    return text
  }
}

function isSame(known: Uint8Array, key: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false
  for (let index = 0; index < known.length; index++) if (known[index] !== key[start + index]) return false
  return true
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}
