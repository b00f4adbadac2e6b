/** Owns `rollupd produce`: lines from a file or standard input, sent in pieces, with progress on a terminal. */
import { createReadStream } from 'node:fs'
import { RollupdError } from '../core/errors.ts'
import type { ApiClient } from './api-client.ts'

/** Large enough that a request's cost vanishes, small enough that a failure names a place. Bytes. */
const PIECE_BYTES = 1 << 20
const PROGRESS_MS = 200
const LINE_FEED = 10

export interface Produced {
  readonly records: number
  readonly bytes: number
  /** Next offsets by partition: pass them as at_least of a query to read what was produced. */
  readonly next: Record<string, number>
}

/** Errors: bad_request for a file that can't be read; those of the server. What was sent before an error is appended. */
export async function produceLines(client: ApiClient, topic: string, file: string | undefined): Promise<Produced> {
  const path = `/v1/topics/${encodeURIComponent(topic)}/records`
  const produced = { records: 0, bytes: 0, next: {} as Record<string, number> }
  let lastShownMs = 0
  const send = async (piece: Uint8Array) => {
    if (piece.length === 0) return
    const answer = JSON.parse(await client.postLines(path, piece)) as {
      offsets: Record<string, { first: number; next: number }>
    }
    for (const [partition, { first, next }] of Object.entries(answer.offsets)) {
      produced.records += next - first
      produced.next[partition] = next
    }
    produced.bytes += piece.length
    if (process.stderr.isTTY && performance.now() - lastShownMs > PROGRESS_MS) {
      lastShownMs = performance.now()
      process.stderr.write(`\r${produced.records} records, ${(produced.bytes / 1e6).toFixed(1)} MB`)
    }
  }
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of openInput(file)) {
    rest = Buffer.concat([rest, chunk])
    const end = rest.lastIndexOf(LINE_FEED) + 1
    if (rest.length < PIECE_BYTES || end === 0) continue
    await send(rest.subarray(0, end))
    rest = rest.subarray(end)
  }
  await send(rest)
  if (lastShownMs > 0) process.stderr.write('\n')
  return produced
}

async function* openInput(file: string | undefined): AsyncGenerator<Uint8Array> {
  if (file === undefined && process.stdin.isTTY) process.stderr.write('one JSON document a line; Ctrl-D ends\n')
  const input = file === undefined ? process.stdin : createReadStream(file)
  try {
    for await (const chunk of input) yield chunk as Uint8Array
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new RollupdError('bad_request', `"${file ?? 'standard input'}" can't be read: ${why}`, { cause })
  }
}
