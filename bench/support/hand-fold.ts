/**
 * The fold of the bench's statements as one would write it by hand: fields of a known order found in the bytes, plain sums, no
 * validation. It shows what compiling could reach at best; rollupd itself doesn't use it.
 */
import type { RecordVisitor } from '../../src/records/record-visitor.ts'

const QUOTE = 0x22
const KEYS = ['ts', 'country', 'path', 'latency_ms', 'bytes', 'ok'].map((key) => Buffer.from(key))
const [TS, COUNTRY, PATH, LATENCY, BYTES, OK] = [0, 1, 2, 3, 4, 5] as const
const POWERS = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
const GROUPS_MAX = 1 << 20

/** Numbers for texts by their bytes. */
class TextNumbers {
  readonly #slots = new Int32Array(1 << 16).fill(-1)
  readonly #texts: Uint8Array[] = []

  numberOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0
    for (let slot = (hash ^ (hash >>> 15)) & 0xffff; ; slot = (slot + 1) & 0xffff) {
      const number = this.#slots[slot]!
      if (number < 0) {
        this.#slots[slot] = this.#texts.length
        return this.#texts.push(bytes.slice(start, end)) - 1
      }
      const text = this.#texts[number]!
      let same = text.length === end - start
      for (let index = 0; same && index < text.length; index++) same = text[index] === bytes[start + index]
      if (same) return number
    }
  }
}

export class HandFold implements RecordVisitor {
  readonly #isFine: boolean
  readonly #start = new Int32Array(KEYS.length)
  readonly #end = new Int32Array(KEYS.length)
  readonly #countries = new TextNumbers()
  readonly #paths = new TextNumbers()
  readonly #groups = new Map<number, number>()
  readonly #count = new Float64Array(GROUPS_MAX)
  readonly #bytesSum = new Float64Array(GROUPS_MAX)
  readonly #latencySum = new Float64Array(GROUPS_MAX)
  readonly #latencyMax = new Float64Array(GROUPS_MAX)
  #day = -1
  #dayMinute = 0
  #bytes: Uint8Array = new Uint8Array(0)

  constructor(isFine: boolean) {
    this.#isFine = isFine
  }

  beginBatch(bytes: Uint8Array): void {
    this.#bytes = bytes
  }

  record(_offset: number, _timestampMs: number, _ks: number, _ke: number, valueStart: number): void {
    const bytes = this.#bytes
    this.#scan(bytes, valueStart)
    if (bytes[this.#start[OK]!] !== 0x74) return
    const country = this.#countries.numberOf(bytes, this.#start[COUNTRY]!, this.#end[COUNTRY]!)
    let key = this.#minuteOf(bytes, this.#start[TS]!) * 64 + country
    if (this.#isFine) key = key * 4096 + this.#paths.numberOf(bytes, this.#start[PATH]!, this.#end[PATH]!)
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = this.#groups.size
      this.#groups.set(key, group)
    }
    const latency = toNumber(bytes, this.#start[LATENCY]!, this.#end[LATENCY]!)
    this.#count[group]! += 1
    this.#bytesSum[group]! += toNumber(bytes, this.#start[BYTES]!, this.#end[BYTES]!)
    this.#latencySum[group]! += latency
    if (latency > this.#latencyMax[group]!) this.#latencyMax[group] = latency
  }

  #scan(bytes: Uint8Array, start: number): void {
    let at = start + 1
    while (bytes[at] !== 0x7d) {
      if (bytes[at] === 0x2c) at++
      const keyStart = at + 1
      at = skipText(bytes, at)
      const field = findKey(bytes, keyStart, at - 1)
      at++
      const valueStart = at
      at = skipValue(bytes, at)
      if (field < 0) continue
      this.#start[field] = valueStart
      this.#end[field] = at
    }
  }

  #minuteOf(bytes: Uint8Array, quote: number): number {
    const year = twoDigits(bytes, quote + 1) * 100 + twoDigits(bytes, quote + 3)
    const month = twoDigits(bytes, quote + 6)
    const day = (year * 16 + month) * 32 + twoDigits(bytes, quote + 9)
    if (day !== this.#day) {
      this.#day = day
      this.#dayMinute = Date.UTC(year, month - 1, day % 32) / 60_000
    }
    return this.#dayMinute + twoDigits(bytes, quote + 12) * 60 + twoDigits(bytes, quote + 15)
  }
}

function twoDigits(bytes: Uint8Array, at: number): number {
  return (bytes[at]! - 0x30) * 10 + bytes[at + 1]! - 0x30
}

function findKey(bytes: Uint8Array, start: number, end: number): number {
  for (let field = 0; field < KEYS.length; field++) {
    const key = KEYS[field]!
    if (key.length !== end - start) continue
    let index = 0
    while (index < key.length && key[index] === bytes[start + index]) index++
    if (index === key.length) return field
  }
  return -1
}

function skipText(bytes: Uint8Array, quote: number): number {
  let at = quote + 1
  while (bytes[at] !== QUOTE) at++
  return at + 1
}

function skipValue(bytes: Uint8Array, start: number): number {
  if (bytes[start] === QUOTE) return skipText(bytes, start)
  let at = start
  if (bytes[start] === 0x7b) {
    while (bytes[at] !== 0x7d) at++
    return at + 1
  }
  while (bytes[at] !== 0x2c && bytes[at] !== 0x7d) at++
  return at
}

function toNumber(bytes: Uint8Array, start: number, end: number): number {
  let digits = 0
  let scale = 0
  let isBehindPoint = false
  for (let at = start; at < end; at++) {
    if (bytes[at] === 0x2e) isBehindPoint = true
    else {
      digits = digits * 10 + bytes[at]! - 0x30
      if (isBehindPoint) scale++
    }
  }
  return digits / POWERS[scale]!
}
