/** Spans of buckets: integer division of big integers is the oracle. */
import { expect, test } from 'vitest'
import { bucketsOfSpans, spanOf } from '../../src/leaf/changed-spans.ts'
import { NULL_BUCKET } from '../../src/planner/bucket.ts'
import { SeededRandom } from '../fuzz/seeded-random.ts'

const MINUTE = 60_000_000n

function expectedSpan(bucket: bigint): bigint {
  const quotient = bucket / MINUTE
  return bucket < 0n && quotient * MINUTE !== bucket ? quotient - 1n : quotient
}

function buckets(): bigint[] {
  const random = new SeededRandom(1)
  const edges = [0n, MINUTE, -MINUTE, 2n ** 53n, -(2n ** 53n), NULL_BUCKET, 2n ** 63n - 1n]
  const spans = Array.from(
    { length: 500 },
    () => BigInt(random.below(2 ** 28)) * MINUTE * (random.chance(0.5) ? 1n : -1n),
  )
  return [...edges, ...spans].flatMap((edge) =>
    [edge - 1n, edge, edge + 1n].filter((one) => one === BigInt.asIntN(64, one)),
  )
}

test('the span of a bucket is its minute, rounded down, as a number or a bigint', () => {
  for (const bucket of buckets()) {
    expect(BigInt(spanOf(bucket)), String(bucket)).toBe(expectedSpan(bucket))
    const small = Number(bucket)
    if (BigInt(small) === bucket) expect(BigInt(spanOf(small)), String(bucket)).toBe(expectedSpan(bucket))
  }
})

test('the buckets of neighbouring spans are all, each once', () => {
  for (const bucket of buckets()) {
    const span = spanOf(bucket)
    const [first, last] = bucketsOfSpans(span, span + 1)
    expect(bucket >= first && bucket <= last, String(bucket)).toBe(true)
    // at the ends of 64 bits there is no neighbour
    if (first > -(2n ** 63n)) expect(bucketsOfSpans(-Infinity, span)[1]).toBe(first - 1n)
    if (last < 2n ** 63n - 1n) expect(bucketsOfSpans(span + 1, Infinity)[0]).toBe(last + 1n)
  }
})
