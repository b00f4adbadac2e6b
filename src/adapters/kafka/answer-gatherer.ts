/**
 * Owns the gathering of one connection's answers out of the pieces in which they arrive: each is a 32-bit length and so many
 * bytes, and is copied once, into a buffer of its size.
 */
const LENGTH_BYTES = 4
/** Smaller answers get a buffer of their own: it costs nothing, and a login's that comes between must not take a turn. */
const TURN_BYTES_MIN = 64 << 10
/** A buffer for a poll's answer is used again; that of a giant batch, which is rare, is given back. */
const KEPT_BYTES_MAX = 32 << 20
const NO_BYTES = Buffer.alloc(0)

/** Where the bytes of answers are put. */
export interface AnswerBuffers {
  take(bytes: number): Buffer
}

export const FRESH_BUFFERS: AnswerBuffers = { take: (bytes) => Buffer.allocUnsafeSlow(bytes) }

/** Two buffers in turn: an answer's bytes are valid until the second one behind it begins to arrive. */
export class DoubleBuffer implements AnswerBuffers {
  #next: Buffer = NO_BYTES
  #other: Buffer = NO_BYTES

  take(bytes: number): Buffer {
    if (bytes < TURN_BYTES_MIN) return FRESH_BUFFERS.take(bytes)
    let buffer = this.#next
    // with a quarter to spare, so that answers of about the same size don't each need a larger buffer
    if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(bytes + (bytes >> 2))
    this.#next = this.#other
    this.#other = buffer.length > KEPT_BYTES_MAX ? NO_BYTES : buffer
    return buffer.subarray(0, bytes)
  }
}

export class AnswerGatherer {
  /** Where the next answer's bytes are put. */
  buffers: AnswerBuffers = FRESH_BUFFERS
  readonly #onAnswer: (answer: Buffer) => void
  readonly #length = Buffer.alloc(LENGTH_BYTES)
  #lengthBytes = 0
  #answer: Buffer | undefined
  #gathered = 0

  /** `onAnswer` gets each whole answer, its length in front. */
  constructor(onAnswer: (answer: Buffer) => void) {
    this.#onAnswer = onAnswer
  }

  /** Takes the next piece; its bytes are copied. Errors: RangeError for a negative length. */
  add(piece: Uint8Array): void {
    let at = 0
    while (at < piece.length) {
      if (this.#answer === undefined) {
        const taken = Math.min(LENGTH_BYTES - this.#lengthBytes, piece.length - at)
        this.#length.set(piece.subarray(at, at + taken), this.#lengthBytes)
        this.#lengthBytes += taken
        at += taken
        if (this.#lengthBytes < LENGTH_BYTES) return
        this.#answer = this.buffers.take(LENGTH_BYTES + this.#readLength())
        this.#answer.set(this.#length)
        this.#gathered = LENGTH_BYTES
      }
      const taken = Math.min(this.#answer.length - this.#gathered, piece.length - at)
      this.#answer.set(piece.subarray(at, at + taken), this.#gathered)
      this.#gathered += taken
      at += taken
      if (this.#gathered === this.#answer.length) {
        const answer = this.#answer
        this.#answer = undefined
        this.#lengthBytes = 0
        this.#onAnswer(answer)
      }
    }
  }

  #readLength(): number {
    const length = this.#length.readInt32BE(0)
    if (length < 0) throw new RangeError(`an answer's length is ${length}`)
    return length
  }
}
