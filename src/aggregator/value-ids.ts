/**
 * Owns numbers for the values of one expression that several tables group by: a record's value is encoded and looked up once for all of them, and
 * they find their groups by its number (pair-ids.ts).
 */
import { growArray } from '../aggregates/grow-array.ts'
import { KeyWriter } from '../core/key-bytes.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import { GroupKeys } from './group-keys.ts'

// Constants of this file: see field-loader.ts.
const { TEXT: TAG_TEXT, TIMESTAMP: TAG_TIMESTAMP } = TAG
/** find(): the value has no number. */
const NONE = -1

export class ValueIds {
  /** Why the last value had no number. */
  failure: CellError | null = null
  readonly #key = new KeyWriter()
  readonly #keys = new GroupKeys()
  /** Texts as they stand in records: a known one isn't encoded again. */
  readonly #texts = new GroupKeys()
  /** By the text's index. */
  #idOfText = new Int32Array(this.#texts.capacity)
  /** Records follow each other in time, more or less: the time that was looked up last, NaN for none. */
  #lastTime = Number.NaN
  #lastId = NONE

  /** Of keys and tables. */
  get byteSize(): number {
    return this.#keys.byteSize + this.#texts.byteSize + this.#idOfText.byteLength
  }

  /** The number of a register's value; negative: no key can hold it, `failure` says why. */
  find(r: Registers, register: number): number {
    const tag = r.tag[register]
    if (tag === TAG_TEXT) {
      const known = this.#texts.count
      const text = this.#texts.find(r.ref[register] as Uint8Array, r.num[register]! | 0, r.end[register]! | 0)
      return text === known ? this.#addText(text, r, register) : this.#idOfText[text]!
    }
    if (tag === TAG_TIMESTAMP) {
      const time = r.num[register]!
      if (time !== this.#lastTime) {
        this.#lastId = this.#findBytes(r, register)
        this.#lastTime = time
      }
      return this.#lastId
    }
    return this.#findBytes(r, register)
  }

  #addText(text: number, r: Registers, register: number): number {
    if (text >= this.#idOfText.length) this.#idOfText = growArray(this.#idOfText, this.#texts.capacity)
    const id = this.#findBytes(r, register)
    this.#idOfText[text] = id
    return id
  }

  #findBytes(r: Registers, register: number): number {
    const key = this.#key
    key.reset()
    this.failure = key.appendRegister(r, register)
    return this.failure === null ? this.#keys.find(key.bytes, 0, key.length) : NONE
  }

  /** The number of NULL. */
  findNull(): number {
    this.#key.reset()
    this.#key.appendNull()
    return this.#keys.find(this.#key.bytes, 0, this.#key.length)
  }

  /** Appends the value's part of a group's key. */
  append(id: number, into: KeyWriter): void {
    into.appendBytes(this.#keys.keys.subarray(this.#keys.keyStart(id), this.#keys.keyEnd(id)))
  }

  /** Forgets all values and keeps the room. */
  reset(): void {
    this.#keys.reset()
    this.#texts.reset()
    this.#lastTime = Number.NaN
  }
}
