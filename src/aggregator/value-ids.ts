/**
 * Owns numbers for the values of one expression that several tables group by: a record's value is encoded and looked up once for all of them, and
 * they find their groups by its number (pair-ids.ts).
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import { GroupKeys } from './group-keys.ts'

// A constant of this file: see field-loader.ts.
const TAG_TIMESTAMP = TAG.TIMESTAMP
/** find(): the value has no number. */
const NONE = -1

export class ValueIds {
  /** Why the last value had no number. */
  failure: CellError | null = null
  readonly #key = new KeyWriter()
  readonly #keys = new GroupKeys()
  /** Records follow each other in time, more or less: the time that was looked up last, NaN for none. */
  #lastTime = Number.NaN
  #lastId = NONE

  /** Of keys and tables. */
  get byteSize(): number {
    return this.#keys.byteSize
  }

  /** The number of a register's value; negative: no key can hold it, `failure` says why. */
  find(r: Registers, register: number): number {
    if (r.tag[register] === TAG_TIMESTAMP) {
      const time = r.num[register]!
      if (time !== this.#lastTime) {
        this.#lastId = this.#findBytes(r, register)
        this.#lastTime = time
      }
      return this.#lastId
    }
    return this.#findBytes(r, register)
  }

  #findBytes(r: Registers, register: number): number {
    const key = this.#key
    key.reset()
    this.failure = key.appendRegister(r, register)
    return this.failure === null ? this.#keys.find(key.bytes, key.length) : NONE
  }

  /** The number of NULL. */
  findNull(): number {
    this.#key.reset()
    this.#key.appendNull()
    return this.#keys.find(this.#key.bytes, this.#key.length)
  }

  /** Appends the value's part of a group's key. */
  append(id: number, into: KeyWriter): void {
    into.appendBytes(this.#keys.keys.subarray(this.#keys.keyStart(id), this.#keys.keyEnd(id)))
  }

  /** Forgets all values and keeps the room. */
  reset(): void {
    this.#keys.reset()
    this.#lastTime = Number.NaN
  }
}
