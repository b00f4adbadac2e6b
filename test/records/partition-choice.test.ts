import { createRequire } from 'node:module'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupByPartition, murmur2 } from '../../src/records/partition-choice.ts'

const kafkajsMurmur2 = createRequire(import.meta.url)('kafkajs/src/producer/partitioners/default/murmur2.js') as (
  key: Buffer,
) => number

test("the hash has the values of Kafka's own test", () => {
  // Source: UtilsTest.testMurmur2 in Kafka's clients.
  const cases: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ]
  for (const [key, hash] of cases) expect(murmur2(Buffer.from(key))).toBe(hash)
})

test('the hash is that of another client', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (key) => {
      expect(murmur2(key)).toBe(kafkajsMurmur2(Buffer.from(key)))
    }),
  )
})

test('groups keep the order, and turns go on from the given one', () => {
  const records = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
    name,
    key: null,
    ...(name === 'c' ? { partition: 0 } : {}),
  }))
  const groups = groupByPartition('t', records, 3, 2)
  const nameAll = (partition: number) => groups.get(partition)?.map((record) => record.name)
  expect([0, 1, 2].map(nameAll)).toEqual([['b', 'c'], ['d'], ['a', 'e']])
})
