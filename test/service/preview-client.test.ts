/** The service's side of previews beside threads that hang or end: real threads, which do nothing else. */
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { PreviewClient } from '../../src/service/preview/preview-client.ts'
import type { PreviewRequest } from '../../src/service/preview/preview-request.ts'

const HANGS = `require('node:worker_threads').parentPort.on('message', () => {})`
/** Ends at the first request of an even number, answers the others with the request's number. */
const ANSWERS = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ call, request }) => {
  if (request.receivedAtMs % 2 === 0) process.exit(1)
  parentPort.postMessage({ kind: 'result', call, result: Uint8Array.of(request.receivedAtMs) })
})`

const HOUR_MS = 3_600_000
const { signal: here } = new AbortController()

function numbered(receivedAtMs: number): PreviewRequest {
  const from = { kind: 'records', values: [] } as const
  return { sql: 'SELECT COUNT(*) FROM _input', from, steps: false, onError: 'dead_letter', receivedAtMs }
}

function clientOf(script: string, limits = { milliseconds: HOUR_MS, open: 16 }) {
  let threads = 0
  const client = new PreviewClient(() => {
    threads++
    return new Worker(script, { eval: true })
  }, limits)
  return { client, threads: () => threads }
}

test('one that takes too long is ended and told so', async () => {
  const { client } = clientOf(HANGS, { milliseconds: 100, open: 16 })
  const answer = client.run(numbered(1), here)
  await expect(answer).rejects.toMatchObject({ code: 'query_timeout', message: 'the preview took longer than 100 ms' })
  await client.close()
})

test('more than may be open are refused, and closing ends those that wait', async () => {
  const { client } = clientOf(HANGS, { milliseconds: HOUR_MS, open: 2 })
  const open = Promise.allSettled([client.run(numbered(1), here), client.run(numbered(2), here)])
  await expect(client.run(numbered(3), here)).rejects.toMatchObject({ code: 'too_many_queries' })
  await client.close()
  const codes = (await open).map((answer) => (answer.status === 'rejected' ? answer.reason.code : answer.status))
  expect(codes).toEqual(['shutting_down', 'shutting_down'])
})

test('a thread that ends loses its preview alone', async () => {
  const { client, threads } = clientOf(ANSWERS)
  client.prepare()
  const answers = await Promise.allSettled([1, 2, 3].map((number) => client.run(numbered(number), here)))
  expect(answers).toMatchObject([
    { value: Uint8Array.of(1) },
    { reason: { code: 'query_failed', hint: 'Ask for a smaller sample.' } },
    { value: Uint8Array.of(3) },
  ])
  expect(threads()).toBe(2)
  await client.close()
})

test('a preview whose client has gone before its turn is not run', async () => {
  const { client } = clientOf(ANSWERS)
  const leaving = new AbortController()
  const [first, gone, last] = [
    client.run(numbered(1), here),
    client.run(numbered(5), leaving.signal),
    client.run(numbered(7), here),
  ]
  leaving.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  expect([await first, await last]).toEqual([Uint8Array.of(1), Uint8Array.of(7)])
  await client.close()
})
