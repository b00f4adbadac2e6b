/**
 * Owns the bytes of a partial batch: one buffer that moves between threads without a copy. Little-endian, columns by column:
 *
 *   version u32 | length of the head u32 | head, JSON | to the next multiple of 8
 *   buckets f64 x groups | records f64 x groups | the numbers of each state column, f64 x groups
 *   ids 16 bytes x groups | lengths of keys u32 x groups | keys
 *   of each state column: its kinds (u8 x groups, where it has some), its heap
 *   values of the dead letters
 *
 * A bucket that no double holds stands in the head. Groups come in the order of (bucket, id, key).
 */
import type { Aggregate, StateValue } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import { HASH_BYTES } from '../core/murmur3.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { CellColumnReader, CellColumnWriter, type CellColumnShape } from './cell-column.ts'
import type { GroupStates } from './group-states.ts'
import type { GroupKeys } from './group-keys.ts'
import type { GroupTable } from './group-table.ts'
import { GroupValueReader } from './group-value-reader.ts'
import type { BatchGroup, BatchRange, DeadLetter, PartialBatch } from './partial-batch.ts'

/** Another layout takes another number: a reader refuses what it doesn't know. */
const CODEC_VERSION = 2
const PREFIX_BYTES = 8
const NUMBER_BYTES = 8

interface Head {
  readonly rollupId: number
  readonly ranges: readonly BatchRange[]
  /** `bytes` of each value; -1: it has none. */
  readonly deadLetters: readonly (Omit<DeadLetter, 'value'> & { readonly bytes: number })[]
  readonly groupCount: number
  readonly groupTypes: readonly ScalarType[]
  /** GROUPING of each grouping set; empty where there is one. */
  readonly groupings: readonly number[]
  /** Position of the group and its bucket in decimal digits. */
  readonly bigBuckets: readonly (readonly [number, string])[]
  readonly keyBytes: number
  readonly columns: readonly CellColumnShape[]
}

/** What a batch is made from; the groups and states are read, not changed. */
export interface BatchContents {
  readonly rollupId: number
  readonly ranges: readonly BatchRange[]
  readonly deadLetters: readonly DeadLetter[]
  readonly groupTypes: readonly ScalarType[]
  /** As GroupValueReader takes them. */
  readonly groupings: readonly number[]
  readonly table: GroupTable
  readonly states: GroupStates
  readonly aggregates: readonly Aggregate[]
}

export function encodePartialBatch(contents: BatchContents): ArrayBuffer {
  const { table, states, aggregates } = contents
  const { order: all, ids } = table.ordered()
  // of a table that plans share, other plans' groups are none of this one's
  const order = table.isShared ? all.filter((group) => states.recordsOf(group) > 0) : all
  const count = order.length
  const columnCount = aggregates.reduce((sum, { columns }) => sum + columns.length, 0)
  // All numbers in one array, as they will stand in the buffer: buckets, records, columns.
  const numbers = new Float64Array(count * (2 + columnCount))
  const bigBuckets: [number, string][] = []
  for (let index = 0; index < count; index++) {
    const bucket = table.bucketOf(order[index]!)
    if (typeof bucket === 'bigint') bigBuckets.push([index, bucket.toString()])
    else numbers[index] = bucket
    numbers[count + index] = states.recordsOf(order[index]!)
  }
  const columns = writeStates(order, states, aggregates, numbers.subarray(2 * count))
  const deadLetters = contents.deadLetters.map(({ value, ...letter }) => ({ ...letter, bytes: value?.length ?? -1 }))
  const { orderedIds, keyLengths, keys } = orderKeys(table.keys, order, ids)
  const head: Head = {
    rollupId: contents.rollupId,
    ranges: contents.ranges,
    deadLetters,
    groupCount: count,
    groupTypes: contents.groupTypes,
    groupings: contents.groupings,
    bigBuckets,
    keyBytes: keys.length,
    columns: columns.map(({ shape }) => shape),
  }
  return assemble(head, [
    toBytes(numbers),
    orderedIds,
    toBytes(keyLengths),
    keys,
    ...columns.flatMap(({ parts }) => parts),
    ...contents.deadLetters.flatMap(({ value }) => value ?? []),
  ])
}

function writeStates(
  order: Uint32Array,
  states: GroupStates,
  aggregates: readonly Aggregate[],
  numbers: Float64Array,
): CellColumnWriter[] {
  const count = order.length
  const writers: CellColumnWriter[] = []
  const state: StateValue[] = []
  for (const [partial, aggregate] of aggregates.entries()) {
    const accumulator = states.accumulators[partial]!
    const own = aggregate.columns.map((_, index) => {
      const first = (writers.length + index) * count
      return new CellColumnWriter(numbers.subarray(first, first + count))
    })
    for (let index = 0; index < count; index++) {
      accumulator.stateOf(order[index]!, state)
      for (let column = 0; column < own.length; column++) own[column]!.set(index, state[column]!)
    }
    writers.push(...own)
  }
  return writers
}

function orderKeys(
  groupKeys: GroupKeys,
  order: Uint32Array,
  ids: Uint8Array,
): { readonly orderedIds: Uint8Array; readonly keyLengths: Uint32Array; readonly keys: Uint8Array } {
  const unordered = groupKeys.keys
  const orderedIds = new Uint8Array(order.length * HASH_BYTES)
  const keyLengths = new Uint32Array(order.length)
  // as long as those of all groups at most
  const keys = new Uint8Array(unordered.length)
  let at = 0
  for (let index = 0; index < order.length; index++) {
    const group = order[index]!
    copyBytes(ids, group * HASH_BYTES, (group + 1) * HASH_BYTES, orderedIds, index * HASH_BYTES)
    const start = groupKeys.keyStart(group)
    const end = groupKeys.keyEnd(group)
    copyBytes(unordered, start, end, keys, at)
    keyLengths[index] = end - start
    at += end - start
  }
  return { orderedIds, keyLengths, keys: keys.subarray(0, at) }
}

/** For a few bytes: a loop costs less than a view and a set. */
function copyBytes(from: Uint8Array, start: number, end: number, into: Uint8Array, at: number): void {
  for (let index = start; index < end; index++) into[at + index - start] = from[index]!
}

function toBytes(array: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

function assemble(head: Head, parts: readonly Uint8Array[]): ArrayBuffer {
  const headBytes = Buffer.from(JSON.stringify(head), 'utf8')
  const first = toMultiple(PREFIX_BYTES + headBytes.length)
  const buffer = new ArrayBuffer(parts.reduce((sum, part) => sum + part.length, first))
  const view = new DataView(buffer)
  view.setUint32(0, CODEC_VERSION, true)
  view.setUint32(4, headBytes.length, true)
  const bytes = new Uint8Array(buffer)
  bytes.set(headBytes, PREFIX_BYTES)
  let at = first
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return buffer
}

function toMultiple(bytes: number): number {
  return Math.ceil(bytes / NUMBER_BYTES) * NUMBER_BYTES
}

/** Reads a buffer of encodePartialBatch; the batch's views are of that buffer. Errors: BrokenInvariant for any other. */
export function decodePartialBatch(buffer: ArrayBuffer): PartialBatch {
  const view = new DataView(buffer)
  const version = view.getUint32(0, true)
  assert(version === CODEC_VERSION, `partial batch has version ${version}`)
  const headLength = view.getUint32(4, true)
  const head = JSON.parse(Buffer.from(buffer, PREFIX_BYTES, headLength).toString('utf8')) as Head
  const first = toMultiple(PREFIX_BYTES + headLength)
  const { rollupId, ranges, groupCount } = head
  return {
    rollupId,
    ranges,
    deadLetters: readDeadLetters(head, buffer),
    groupCount,
    groups: () => readGroups(head, buffer, first),
  }
}

/** They stand at the buffer's end. */
function readDeadLetters(head: Head, buffer: ArrayBuffer): DeadLetter[] {
  const total = head.deadLetters.reduce((sum, { bytes }) => sum + Math.max(bytes, 0), 0)
  let at = buffer.byteLength - total
  return head.deadLetters.map(({ bytes, ...letter }) => {
    const start = at
    at += Math.max(bytes, 0)
    return { ...letter, value: bytes < 0 ? null : new Uint8Array(buffer, start, bytes) }
  })
}

function* readGroups(head: Head, buffer: ArrayBuffer, first: number): Generator<BatchGroup, void> {
  const count = head.groupCount
  const numberCount = count * (2 + head.columns.length)
  const numbers = new Float64Array(buffer, first, numberCount)
  const idsAt = first + numberCount * NUMBER_BYTES
  const ids = new Uint8Array(buffer, idsAt, count * HASH_BYTES)
  const lengthsAt = idsAt + ids.length
  const keyLengths = new Uint32Array(buffer, lengthsAt, count)
  const keysAt = lengthsAt + keyLengths.byteLength
  const keys = new Uint8Array(buffer, keysAt, head.keyBytes)
  const columns = openColumns(head, buffer, numbers, keysAt + head.keyBytes)
  const values = new GroupValueReader(head.groupTypes, head.groupings)
  const bigBuckets = new Map(head.bigBuckets.map(([index, digits]) => [index, BigInt(digits)]))
  const group: BatchGroup = {
    bucket: 0,
    id: new Uint8Array(HASH_BYTES),
    key: keys,
    values: [],
    records: 0,
    states: columns.map(() => null),
  }
  for (let index = 0, at = 0; index < count; index++) {
    const end = at + keyLengths[index]!
    group.bucket = (bigBuckets.size > 0 ? bigBuckets.get(index) : undefined) ?? numbers[index]!
    copyBytes(ids, index * HASH_BYTES, (index + 1) * HASH_BYTES, group.id, 0)
    group.key = keys.subarray(at, end)
    values.read(group.key, group.values)
    group.records = numbers[count + index]!
    for (let column = 0; column < columns.length; column++) group.states[column] = columns[column]!.next(index)
    yield group
    at = end
  }
}

function openColumns(head: Head, buffer: ArrayBuffer, numbers: Float64Array, start: number): CellColumnReader[] {
  const count = head.groupCount
  let at = start
  return head.columns.map(({ hasKinds, heapBytes }, index) => {
    const firstNumber = (2 + index) * count
    const kinds = hasKinds ? new Uint8Array(buffer, at, count) : undefined
    if (hasKinds) at += count
    const heap = new Uint8Array(buffer, at, heapBytes)
    at += heapBytes
    return new CellColumnReader(numbers.subarray(firstNumber, firstNumber + count), kinds, heap)
  })
}
