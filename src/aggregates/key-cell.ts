/** Owns the making of state cells that are the key bytes of one value (key-bytes.ts). */
import type { Decimal } from '../core/decimal.ts'
import { KeyWriter } from '../core/key-bytes.ts'
import { TAG, Registers } from '../core/registers.ts'

export class KeyCell {
  readonly #writer = new KeyWriter()
  readonly #r = new Registers(1)

  /** A double or an exact number, NaN and infinities too. A fresh array, as all cells. */
  encodeNumber(value: number | Decimal): Uint8Array {
    this.#writer.reset()
    if (typeof value === 'number') this.#writer.appendDouble(value)
    else this.#writer.appendDecimal(value)
    return this.#take()
  }

  /** Valid text. */
  encodeText(text: Uint8Array): Uint8Array {
    this.#writer.reset()
    this.#r.setText(0, text, 0, text.length)
    this.#writer.appendRegister(this.#r, 0)
    this.#r.tag[0] = TAG.NULL
    this.#r.ref[0] = null
    return this.#take()
  }

  #take(): Uint8Array {
    return this.#writer.bytes.slice(0, this.#writer.length)
  }
}
