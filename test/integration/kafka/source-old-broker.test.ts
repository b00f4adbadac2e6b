/** Kafka before 3.1 as far as the adapter can tell: a broker behind a proxy that hides the fetch by topic id. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { type RunningKafka, startKafka } from '../../../tools/kafka/kafka-broker.ts'
import { testRecordSource } from '../../contract/record-source.ts'
import { uniqueTopic } from '../../support/kafka-broker.ts'

const FETCH_KEY = 1
const LAST_FETCH_BY_NAME = 11
/** Of an ApiVersions answer: size, correlation id, error code, count. */
const HEAD_BYTES = 14
const ENTRY_BYTES = 6

let kafka: RunningKafka
let proxy: Server
let address: string
let hidden = 0
const sockets = new Set<Socket>()

/** The adapter's first request on a connection is ApiVersions 0; its answer comes in one piece. */
function hideFetchById(answer: Buffer): Buffer {
  const changed = Buffer.from(answer)
  for (let at = HEAD_BYTES; at + ENTRY_BYTES <= changed.length; at += ENTRY_BYTES) {
    if (changed.readInt16BE(at) !== FETCH_KEY) continue
    changed.writeInt16BE(LAST_FETCH_BY_NAME, at + 4)
    hidden += 1
  }
  return changed
}

beforeAll(async () => {
  proxy = createServer((client) => {
    const broker = connect(Number(kafka.bootstrap.split(':')[1]), '127.0.0.1')
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        broker.destroy()
      })
    }
    client.on('data', (chunk) => broker.write(chunk))
    broker.once('data', (first) => {
      client.write(hideFetchById(first))
      broker.on('data', (chunk) => client.write(chunk))
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const bound = proxy.address()
  address = `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`
  kafka = await startKafka({ settings: { 'advertised.listeners': `PLAINTEXT://${address}` } })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  proxy.close()
  await kafka.stop()
})

testRecordSource('kafka before 3.1', {
  async open() {
    const log = new KafkaLog({ brokers: [address], clientId: 'rollupd-test' }, () => Date.now())
    return { source: log, sink: log, close: () => log.close() }
  },
  uniqueTopic,
})

test('the proxy did its part', () => {
  expect(hidden).toBeGreaterThan(0)
})
