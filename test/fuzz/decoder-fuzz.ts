/**
 * Random and damaged fetch answers: the decoder must not throw, must give offsets in order, must count exactly what it
 * passed (decodeAll checks that) and must not have seen more than it says.
 */
import type { AbortedTransaction } from '../../src/records/aborted-transaction.ts'
import type { Codec } from '../../src/records/codecs.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import {
  encodeBatch,
  encodeControlBatch,
  writeChecksum,
  type EncodableRecord,
} from '../../src/records/record-batch-encoder.ts'
import { BATCH_FIELD } from '../../src/records/record-format.ts'
import { decodeAll } from '../records/recording-visitor.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { SeededRandom } from './seeded-random.ts'

/** Mostly none: compressing costs more than all the rest of a run. */
const CODECS: readonly Codec[] = [...Array<Codec>(12).fill('none'), 'gzip', 'snappy', 'lz4', 'zstd']
/** Ends of varints, signs, small numbers, magic bytes. */
const SPICE = Uint8Array.of(0, 1, 2, 3, 4, 0x10, 0x20, 0x30, 0x7f, 0x80, 0x81, 0xfe, 0xff)

/** Runs so many answers and returns how many; throws with the seed and the bytes at the first that is wrong. */
export function fuzzDecoder(runs: number, seed: number): number {
  const random = new SeededRandom(seed)
  const decoder = new RecordBatchDecoder()
  for (let run = 0; run < runs; run++) {
    const bytes = makeAnswer(random)
    const from = random.chance(0.5) ? 100 : 95 + random.below(30)
    const aborted: AbortedTransaction[] = Array.from({ length: random.below(3) }, () => ({
      producerId: BigInt(random.below(3)),
      firstOffset: 90 + random.below(30),
    }))
    try {
      checkAnswer(decoder, bytes, from, aborted)
    } catch (error) {
      const hex = Buffer.from(bytes).toString('hex')
      throw new Error(`seed ${seed}, run ${run}, from ${from}, bytes ${hex}`, { cause: error })
    }
  }
  return runs
}

function checkAnswer(
  decoder: RecordBatchDecoder,
  bytes: Uint8Array,
  from: number,
  aborted: AbortedTransaction[],
): void {
  const { result, records } = decodeAll(decoder, bytes, from, aborted)
  let previous = from - 1
  for (const { offset } of records) {
    if (offset <= previous || offset >= result.next) throw new Error(`offset ${offset} after ${previous}`)
    previous = offset
  }
  const walked = decoder.walkHeaders({ bytes }, from)
  if (result.stop === undefined ? walked !== result.next : walked < result.next) {
    throw new Error(`headers end at ${walked}, records at ${result.next}`)
  }
  if (result.stop !== undefined) checkStop(decoder, bytes, result.stop.next, aborted)
}

/** What lies behind an accepted loss can be read on: the next stop, if any, is further. */
function checkStop(decoder: RecordBatchDecoder, bytes: Uint8Array, next: number, aborted: AbortedTransaction[]): void {
  const { result } = decodeAll(decoder, bytes, next, aborted)
  if (result.stop !== undefined && result.stop.next <= next) throw new Error(`loss to ${next} gets nowhere`)
}

function makeAnswer(random: SeededRandom): Uint8Array {
  if (random.chance(0.1)) return Uint8Array.from({ length: random.below(200) }, () => random.pick(SPICE))
  const batches: Uint8Array[] = []
  let base = 100
  for (let count = random.below(4); count >= 0; count--) {
    const batch = makeBatch(random, base)
    base += 1 + random.below(10)
    batches.push(random.chance(0.6) ? batch : damageBatch(random, batch))
  }
  const bytes = Buffer.concat(batches)
  return random.chance(0.8) ? bytes : mutateBytes(random, bytes, SPICE)
}

function makeBatch(random: SeededRandom, baseOffset: number): Uint8Array {
  const producerId = BigInt(random.below(3))
  if (random.chance(0.2)) {
    const type = random.chance(0.5) ? 'abort' : 'commit'
    return encodeControlBatch({ baseOffset, type, producerId, producerEpoch: 0, timestampMs: 1000 })
  }
  let offsetDelta = -1
  const records = Array.from({ length: random.below(6) }, (): EncodableRecord => {
    offsetDelta += random.chance(0.8) ? 1 : 1 + random.below(3)
    const value = random.chance(0.15) ? null : Buffer.alloc(random.below(20), 'v')
    const key = random.chance(0.5) ? null : Uint8Array.of(0, 0, 0, 0)
    const headers = random.chance(0.7) ? [] : [{ name: 'h', value: random.chance(0.5) ? null : Uint8Array.of(1) }]
    return { key, value, headers, offsetDelta, timestampMs: random.below(10_000) }
  })
  return encodeBatch({
    baseOffset,
    records,
    codec: random.pick(CODECS),
    snappyJava: random.chance(0.5),
    lastOffsetDelta: Math.max(0, offsetDelta) + random.below(2),
    transactional: random.chance(0.4),
    producer: { id: producerId, epoch: 0, baseSequence: 0 },
    ...(random.chance(0.1) ? { logAppendTimeMs: 5 } : {}),
  })
}

/** Damage with a checksum that fits again in half of the cases, so that what lies behind the checksum is reached. */
function damageBatch(random: SeededRandom, batch: Uint8Array): Uint8Array {
  const damaged = Buffer.from(mutateBytes(random, batch, SPICE))
  if (damaged.length < BATCH_FIELD.records || random.chance(0.5)) return damaged
  if (random.chance(0.9)) damaged.writeInt32BE(damaged.length - 12, BATCH_FIELD.batchLength)
  writeChecksum(damaged)
  return damaged
}
