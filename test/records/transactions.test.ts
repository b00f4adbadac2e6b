/** The cases of transactions that clients get wrong, each in one answer and in answers of every size. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { decodeAll } from './recording-visitor.ts'
import { TransactionLog } from './transaction-log.ts'

const decoder = new RecordBatchDecoder()
const [P1, P2, P3] = [1n, 2n, 3n] as const

interface Read {
  readonly values: string[]
  readonly markers: number
  readonly aborted: number
}

/** Reads from an offset to the last stable one, each answer with a filter of its own as after a restart. */
function readLog(log: TransactionLog, from: number, maxBytes: number): Read {
  const values: string[] = []
  let [next, markers, aborted] = [from, 0, 0]
  while (next < log.lastStableOffset) {
    const answer = log.fetch(next, maxBytes)
    const decoded = decodeAll(decoder, answer.bytes, next, answer.aborted)
    if (decoded.result.next === next) throw new Error(`stands still at ${next}`)
    expect(decoder.walkHeaders(answer, next)).toBe(decoded.result.next)
    values.push(...decoded.values)
    markers += decoded.counts.markers
    aborted += decoded.counts.aborted
    next = decoded.result.next
  }
  expect(next).toBe(log.lastStableOffset)
  return { values, markers, aborted }
}

/** In one answer, and a batch at a time. */
function readBothWays(log: TransactionLog, from = 0): Read {
  const whole = readLog(log, from, Infinity)
  expect(readLog(log, from, 1)).toEqual(whole)
  return whole
}

test('A: two interleaved transactions, aborted in the other order', () => {
  const log = new TransactionLog()
  log.append(P1, ['one'])
  log.append(P2, ['two'])
  log.end(P2, 'abort')
  log.end(P1, 'abort')
  log.append(undefined, ['good'])
  expect(readBothWays(log)).toEqual({ values: ['good'], markers: 2, aborted: 2 })
})

test('B: a data record whose key looks like the marker of an abort ends nothing', () => {
  const log = new TransactionLog()
  log.append(P1, ['one', 'two', 'three'], { key: Uint8Array.of(0, 0, 0, 0) })
  log.append(P1, ['four'])
  log.end(P1, 'abort')
  log.append(undefined, ['good'])
  expect(readBothWays(log)).toEqual({ values: ['good'], markers: 1, aborted: 4 })
})

test('C: reading begins inside two open transactions', () => {
  const log = new TransactionLog()
  log.append(P1, ['one'])
  log.append(P2, ['two'])
  log.append(P2, ['three'])
  log.end(P1, 'abort')
  log.end(P2, 'abort')
  log.append(undefined, ['good'])
  expect(readBothWays(log, 2)).toEqual({ values: ['good'], markers: 2, aborted: 1 })
})

test('D: an open transaction hides what is behind it until it has ended', () => {
  const log = new TransactionLog()
  log.append(undefined, ['before'])
  log.append(P1, ['open'])
  log.append(undefined, ['good'])
  expect(readBothWays(log)).toEqual({ values: ['before'], markers: 0, aborted: 0 })
  log.end(P1, 'abort')
  expect(readBothWays(log)).toEqual({ values: ['before', 'good'], markers: 1, aborted: 1 })
})

test('E: one producer aborts, commits and aborts', () => {
  const log = new TransactionLog()
  for (const [value, type] of [
    ['one', 'abort'],
    ['two', 'commit'],
    ['three', 'abort'],
  ] as const) {
    log.append(P1, [value])
    log.end(P1, type)
  }
  log.append(undefined, ['good'])
  expect(readBothWays(log)).toEqual({ values: ['two', 'good'], markers: 3, aborted: 2 })
})

test('F: an aborted transaction whose marker lies behind the answer', () => {
  const log = new TransactionLog()
  for (let index = 0; index < 4; index++) log.append(P1, ['x'.repeat(300_000)])
  log.end(P1, 'abort')
  log.append(undefined, ['good'])
  expect(readLog(log, 0, 400_000)).toEqual({ values: ['good'], markers: 1, aborted: 4 })
  expect(readBothWays(log)).toEqual({ values: ['good'], markers: 1, aborted: 4 })
})

const step = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    producer: fc.constantFrom(P1, P2, P3),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('plain' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constantFrom('commit' as const, 'abort' as const), producer: fc.constantFrom(P1, P2, P3) }),
)

test('any interleaving, read in any sizes from any offset: exactly the committed records', () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 1000 }), (list, maxBytes) => {
      const log = new TransactionLog()
      let made = 0
      for (const item of list) {
        if (item.kind === 'append' || item.kind === 'plain') {
          const values = Array.from({ length: item.count }, () => `v${made++}`)
          log.append(item.kind === 'append' ? item.producer : undefined, values)
        } else if (log.hasOpen(item.producer)) log.end(item.producer, item.kind)
      }
      const whole = readLog(log, 0, Infinity)
      expect(whole.values).toEqual(log.committedValues)
      expect(readLog(log, 0, maxBytes)).toEqual(whole)
      for (let from = 0; from < log.lastStableOffset; from += 3) {
        const rest = readLog(log, from, maxBytes).values
        expect(rest).toEqual(whole.values.slice(whole.values.length - rest.length))
      }
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200) },
  )
})
