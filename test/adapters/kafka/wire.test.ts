import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toTopicId } from '../../../src/core/shard.ts'
import { FETCH_BY_ID, FETCH_BY_NAME } from '../../../src/adapters/kafka/protocol/fetch.ts'
import { LIST_OFFSETS } from '../../../src/adapters/kafka/protocol/list-offsets.ts'
import { METADATA } from '../../../src/adapters/kafka/protocol/metadata.ts'
import { PRODUCE } from '../../../src/adapters/kafka/protocol/produce.ts'
import { MalformedAnswer, WireReader } from '../../../src/adapters/kafka/protocol/wire-reader.ts'
import { WireWriter } from '../../../src/adapters/kafka/protocol/wire-writer.ts'

const reread = (write: (writer: WireWriter) => void): WireReader => {
  const writer = new WireWriter()
  write(writer)
  return new WireReader(Buffer.from(writer.finish()))
}

test('numbers come back as they were written', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -32_768, max: 32_767 }), (long, int, short) => {
      const reader = reread((writer) => writer.int64(long).int32(int).int16(short).boolean(true).int8(-1))
      expect([reader.int64(), reader.int32(), reader.int16(), reader.boolean(), reader.int8()]).toEqual([
        long,
        int,
        short,
        true,
        -1,
      ])
    }),
  )
})

test('varints, strings, bytes, ids and lists come back as they were written', () => {
  const string = fc.option(fc.string({ unit: 'grapheme', maxLength: 600 }))
  const id = fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((bytes) => toTopicId(Buffer.from(bytes).toString('base64url')))
  fc.assert(
    fc.property(
      fc.nat(),
      string,
      fc.uint8Array({ maxLength: 2_000 }),
      id,
      fc.array(string),
      (varint, name, bytes, uuid, list) => {
        const reader = reread((writer) => {
          writer.unsignedVarint(varint).string(name).compactString(name).compactBytes(bytes).uuid(uuid)
          writer
            .array(list, (each) => writer.string(each))
            .compactArray(list, (each) => writer.compactString(each))
            .noTags()
        })
        expect(reader.unsignedVarint()).toBe(varint)
        expect(reader.string()).toBe(name)
        expect(reader.compactString()).toBe(name)
        expect(Buffer.from(reader.compactBytes())).toEqual(Buffer.from(bytes))
        expect(reader.uuid()).toBe(uuid)
        expect(reader.array(() => reader.string())).toEqual(list)
        expect(reader.compactArray(() => reader.compactString())).toEqual(list)
        reader.skipTags()
      },
    ),
  )
})

test('tagged fields are passed over', () => {
  // Two fields: tag 0 of three bytes, tag 300 of none; then the number 7.
  const reader = new WireReader(Buffer.from([2, 0, 3, 1, 2, 3, 0xac, 0x02, 0, 7]))
  reader.skipTags()
  expect(reader.int8()).toBe(7)
})

test('an answer of any bytes is decoded or refused, never more', () => {
  const apis = [FETCH_BY_ID, FETCH_BY_NAME, LIST_OFFSETS, METADATA, PRODUCE]
  const isRefusal = (error: unknown) => error instanceof MalformedAnswer || error instanceof RangeError
  let decoded = 0
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...apis), (bytes, api) => {
      try {
        api.decode(new WireReader(Buffer.from(bytes)))
        decoded += 1
        return true
      } catch (error) {
        return isRefusal(error)
      }
    }),
    { numRuns: 2_000 },
  )
  // Among random bytes are some that are an answer.
  expect(decoded).toBeGreaterThan(0)
})

test('a list longer than the answer is refused before it is made', () => {
  const reader = reread((writer) => writer.int32(2_000_000_000))
  expect(() => reader.array(() => reader.int8())).toThrow(MalformedAnswer)
})

test('a fetch by id has the bytes of the grammar', () => {
  const writer = new WireWriter()
  FETCH_BY_ID.encode(writer, {
    maxWaitMs: 500,
    maxBytes: 1_000,
    topics: [
      {
        id: toTopicId('AQIDBAUGBwgJCgsMDQ4PEA'),
        name: 't',
        partitions: [{ partition: 3, leaderEpoch: 5, offset: 4_294_967_297, maxBytes: 900 }],
      },
    ],
  })
  const expected = [
    'ffffffff 000001f4 00000001 000003e8 01 00000000 ffffffff',
    '02 0102030405060708090a0b0c0d0e0f10',
    '02 00000003 00000005 0000000100000001 ffffffff ffffffffffffffff 00000384 00 00',
    '01 01 00',
  ]
  expect(Buffer.from(writer.finish()).toString('hex')).toBe(expected.join('').replaceAll(' ', ''))
})
