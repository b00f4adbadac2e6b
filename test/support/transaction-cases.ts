/**
 * The cases of transactions that clients get wrong, as programs: what is produced on partition 0 of an empty topic, and what
 * a reader of committed records must make of it.
 */
import type { KafkaClients } from './kafka-producers.ts'

export interface TransactionCase {
  readonly title: string
  /** Returns when the last transaction was ended; its markers follow by themselves. */
  readonly produce: (clients: KafkaClients, topic: string) => Promise<void>
  /** Fields `v` of the records that count. */
  readonly committed: readonly string[]
  /** Where a reader begins. */
  readonly start: number
  /** Behind `start`. */
  readonly aborted: number
  readonly markers: number
  /** Record batches in the log, markers included. */
  readonly batches: number
}

/** Three of them with their headers are more than one fetch of a mebibyte. */
const LARGE = 'x'.repeat(300_000)

function record(v: string, more: Record<string, string> = {}): string {
  return JSON.stringify({ v, ...more })
}

async function sendGood(clients: KafkaClients, topic: string): Promise<void> {
  await clients.send(topic, [record('good')])
}

export const TRANSACTION_CASES: Readonly<Record<'A' | 'B' | 'C' | 'D' | 'E' | 'F', TransactionCase>> = {
  A: {
    title: 'interleaved transactions of two producers, the second aborting first',
    produce: async (clients, topic) => {
      const first = await (await clients.openTransactional()).begin(topic, record('first'))
      const second = await (await clients.openTransactional()).begin(topic, record('second'))
      await second.abort()
      await first.abort()
      await sendGood(clients, topic)
    },
    committed: ['good'],
    start: 0,
    aborted: 2,
    markers: 2,
    batches: 5,
  },
  B: {
    title: 'an aborted record whose key is int32 zero, as a marker has',
    produce: async (clients, topic) => {
      const lookalike = { key: Buffer.from([0, 0, 0, 0]), value: record('one') }
      const producer = await clients.openTransactional()
      await (await producer.begin(topic, lookalike, record('two'), record('three'))).abort()
      await sendGood(clients, topic)
    },
    committed: ['good'],
    start: 0,
    aborted: 3,
    markers: 1,
    batches: 5,
  },
  C: {
    title: 'reading from inside two transactions that are aborted',
    produce: async (clients, topic) => {
      const first = await (await clients.openTransactional()).begin(topic, record('first'))
      const second = await (await clients.openTransactional()).begin(topic, record('second'), record('second again'))
      await first.abort()
      await second.abort()
      await sendGood(clients, topic)
    },
    committed: ['good'],
    start: 2,
    aborted: 1,
    markers: 2,
    batches: 6,
  },
  D: {
    title: 'a plain record behind a transaction that is open for a while',
    produce: async (clients, topic) => {
      const open = await (await clients.openTransactional()).begin(topic, record('open'))
      await sendGood(clients, topic)
      await open.abort()
    },
    committed: ['good'],
    start: 0,
    aborted: 1,
    markers: 1,
    batches: 3,
  },
  E: {
    title: 'abort, commit and abort of one producer in one fetch',
    produce: async (clients, topic) => {
      const producer = await clients.openTransactional()
      await (await producer.begin(topic, record('aborted'))).abort()
      await (await producer.begin(topic, record('committed'))).commit()
      await (await producer.begin(topic, record('aborted again'))).abort()
      await sendGood(clients, topic)
    },
    committed: ['committed', 'good'],
    start: 0,
    aborted: 2,
    markers: 3,
    batches: 7,
  },
  F: {
    title: 'an aborted transaction whose marker is outside the fetch',
    produce: async (clients, topic) => {
      const producer = await clients.openTransactional()
      const large = [1, 2, 3, 4].map((number) => record(`large ${number}`, { pad: LARGE }))
      await (await producer.begin(topic, ...large)).abort()
      await sendGood(clients, topic)
    },
    committed: ['good'],
    start: 0,
    aborted: 4,
    markers: 1,
    batches: 6,
  },
}
