import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { parseBroker } from '../../../src/adapters/kafka/kafka-config.ts'
import { toTopicId } from '../../../src/core/shard.ts'

/** What the port promises: a call ends within some seconds. */
const BOUND_MS = 8_000

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** A server that is no broker; returns its address. */
async function listen(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `127.0.0.1:${address.port}`
}

function open(...brokers: string[]): KafkaLog {
  const log = new KafkaLog({ brokers, clientId: 'rollupd-test' }, () => Date.now())
  closers.push(() => log.close())
  return log
}

const REFUSING = '127.0.0.1:1'
const REQUEST = {
  topic: 't',
  shard: { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAA'), partition: 0 },
  offset: 0,
  maxBytes: 1_000,
}

const KINDS: [name: string, onSocket: ((socket: Socket) => void) | undefined][] = [
  ['refuses connections', undefined],
  ['never answers', () => {}],
  ['closes at once', (socket) => socket.end()],
  [
    'answers with other bytes',
    (socket) => void socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
  ],
  ['answers half and closes', (socket) => void socket.on('data', () => socket.end(Buffer.from([0, 0, 1, 0, 0])))],
]

test.each(KINDS)('calls end with broker_away when the broker %s', async (_name, onSocket) => {
  const log = open(onSocket === undefined ? REFUSING : await listen(onSocket))
  const from = performance.now()
  const away = expect.objectContaining({ code: 'broker_away' })
  await Promise.all([
    expect(log.listTopics()).rejects.toEqual(away),
    expect(log.findTopic('t')).rejects.toEqual(away),
    expect(log.findOffset('t', REQUEST.shard, 0)).rejects.toEqual(away),
    expect(log.createTopic('t', 1)).rejects.toEqual(away),
    expect(log.deleteTopic('t')).rejects.toEqual(away),
    expect(log.produce('t', [])).rejects.toEqual(away),
  ])
  expect(performance.now() - from).toBeLessThan(BOUND_MS)
})

test('a reader answers broker_away at the pace of its wait, and says why', async () => {
  const reader = open(REFUSING).openReader()
  let calls = 0
  for (const until = performance.now() + 600; performance.now() < until; calls += 1) {
    const [answer] = await reader.fetch([REQUEST], { maxWaitMs: 200 })
    expect(answer?.error?.code).toBe('broker_away')
    expect(answer?.error?.message).toContain('127.0.0.1:1')
  }
  expect(calls).toBeLessThan(15)
  await reader.close()
})

test('a reader of a silent broker answers in time', async () => {
  const reader = open(await listen(() => {})).openReader()
  const from = performance.now()
  const [answer] = await reader.fetch([REQUEST], { maxWaitMs: 200 })
  expect(answer?.error).toBeDefined()
  expect(performance.now() - from).toBeLessThan(1_500)
  await reader.close()
})

test('closing ends calls that wait', async () => {
  const log = open(await listen(() => {}))
  const reader = log.openReader()
  const calls = [log.listTopics().catch((error: unknown) => error), reader.fetch([REQUEST], { maxWaitMs: 60_000 })]
  const from = performance.now()
  setTimeout(() => void log.close(), 20)
  await Promise.all(calls)
  expect(performance.now() - from).toBeLessThan(1_000)
})

test('after close() nothing keeps the process, and no warning was printed', async () => {
  const silent = await listen(() => {})
  const program = `
    import { KafkaLog } from ${JSON.stringify(new URL('../../../src/adapters/kafka/kafka-log.ts', import.meta.url).href)}
    const log = new KafkaLog({ brokers: ['${silent}', '${REFUSING}'], clientId: 'x' }, () => Date.now())
    const reader = log.openReader()
    const request = ${JSON.stringify(REQUEST)}
    void reader.fetch([request], { maxWaitMs: 60_000 })
    void log.listTopics().catch(() => {})
    setTimeout(() => void log.close(), 100)
  `
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program])
  const output: string[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), BOUND_MS)
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  clearTimeout(timer)
  expect([code, signal, output.join('')]).toEqual([0, null, ''])
})

test('addresses are read, and wrong ones refused', () => {
  expect(parseBroker('kafka-1.example:9092')).toEqual({ host: 'kafka-1.example', port: 9092 })
  expect(parseBroker('[::1]:9092')).toEqual({ host: '::1', port: 9092 })
  for (const wrong of ['', 'host', 'host:', ':9092', 'host:0', 'host:65536', '::1:9092', 'a b:1', 'http://host:9092']) {
    expect(() => parseBroker(wrong)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  }
  expect(() => open()).toThrow(expect.objectContaining({ code: 'config_invalid' }))
})
