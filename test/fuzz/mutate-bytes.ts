/** Owns small damage: what bit rot, cut copies and careless producers do to bytes. */
import type { SeededRandom } from './seeded-random.ts'

/** One to three mutations; `spice` are bytes that mean something in the format at hand. */
export function mutateBytes(random: SeededRandom, bytes: Uint8Array, spice: Uint8Array): Uint8Array {
  let result = bytes
  for (let rounds = 1 + random.below(3); rounds > 0; rounds--) result = mutateOnce(random, result, spice)
  return result
}

function mutateOnce(random: SeededRandom, bytes: Uint8Array, spice: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1)
  const until = Math.min(bytes.length, at + 1 + random.below(6))
  switch (random.below(6)) {
    case 0:
      return splice(bytes, at, until, Uint8Array.of())
    case 1:
      return splice(bytes, at, at, Uint8Array.of(random.pick(spice)))
    case 2:
      return splice(bytes, at, Math.min(bytes.length, at + 1), Uint8Array.of(random.pick(spice)))
    case 3:
      return splice(bytes, at, Math.min(bytes.length, at + 1), Uint8Array.of(random.below(256)))
    case 4:
      return splice(bytes, at, at, bytes.subarray(at, until))
    default:
      return bytes.subarray(0, at)
  }
}

function splice(bytes: Uint8Array, start: number, end: number, middle: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, start), middle, bytes.subarray(end)])
}
