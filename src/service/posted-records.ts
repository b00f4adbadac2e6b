/** Owns the reading of records posted as NDJSON: plain lines, whose bytes are kept as they are, and envelopes. */
import { RollupdError } from '../core/errors.ts'
import { parseIsoTime } from '../core/iso-time.ts'
import type { NewRecord } from '../tailer/record-source.ts'

const LINE_FEED = 10
const NO_HEADERS: NewRecord['headers'] = []
const ENVELOPE_FIELDS = new Set(['value', 'value_base64', 'key', 'key_base64', 'headers', 'timestamp', 'partition'])

/** A line is a value; blank lines are skipped. `partition` pins all of them. */
export function parsePlainLines(body: Uint8Array, partition: number | undefined): NewRecord[] {
  return splitLines(body).map(({ bytes }) => ({
    value: bytes,
    key: null,
    headers: NO_HEADERS,
    ...(partition === undefined ? {} : { partition }),
  }))
}

/** A line is {value, value_base64?, key?, ...}; all of them are well or none is taken. Errors: bad_request, naming the line. */
export function parseEnvelopes(body: Uint8Array, partition: number | undefined): NewRecord[] {
  return splitLines(body).map(({ bytes, line }) => parseEnvelope(bytes, line, partition))
}

function splitLines(body: Uint8Array): { bytes: Uint8Array; line: number }[] {
  const lines: { bytes: Uint8Array; line: number }[] = []
  let line = 0
  for (let start = 0; start < body.length;) {
    line++
    const found = body.indexOf(LINE_FEED, start)
    const end = found < 0 ? body.length : found
    const bytes = body.subarray(start, end)
    if (!isBlank(bytes)) lines.push({ bytes, line })
    start = end + 1
  }
  return lines
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)
}

function parseEnvelope(bytes: Uint8Array, line: number, pinned: number | undefined): NewRecord {
  const fail = (message: string) => new RollupdError('bad_request', `line ${line}: ${message}`)
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw fail(`not JSON: ${(error as Error).message}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw fail('an envelope is an object')
  const envelope = parsed as Record<string, unknown>
  for (const field of Object.keys(envelope)) if (!ENVELOPE_FIELDS.has(field)) throw fail(`unknown field "${field}"`)
  const value = readBytes(envelope, 'value', fail)
  if (value === undefined) throw fail('neither "value" nor "value_base64" is given')
  const partition = readPartition(envelope['partition'], fail) ?? pinned
  const timestampMs = readTimestamp(envelope['timestamp'], fail)
  return {
    value,
    key: readBytes(envelope, 'key', fail) ?? null,
    headers: readHeaders(envelope['headers'], fail),
    ...(timestampMs === undefined ? {} : { timestampMs }),
    ...(partition === undefined ? {} : { partition }),
  }
}

type Fail = (message: string) => RollupdError

/** Null: a null; undefined: not given. */
function readBytes(envelope: Record<string, unknown>, name: string, fail: Fail): Uint8Array | null | undefined {
  const text = envelope[name]
  const base64 = envelope[`${name}_base64`]
  if (text !== undefined && base64 !== undefined) throw fail(`"${name}" and "${name}_base64" exclude each other`)
  if (base64 !== undefined) {
    if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) {
      throw fail(`"${name}_base64" is not base64`)
    }
    return Buffer.from(base64, 'base64')
  }
  if (text === undefined || text === null) return text
  if (typeof text !== 'string') throw fail(`"${name}" must be text or null`)
  return toBytes(text, `"${name}"`, fail)
}

function toBytes(text: string, what: string, fail: Fail): Uint8Array {
  return Buffer.from(checkText(text, what, fail))
}

/** A lone surrogate has no bytes; another character in its place would be another record. */
function checkText(text: string, what: string, fail: Fail): string {
  if (text.isWellFormed()) return text
  throw fail(`${what} holds a lone surrogate, which is no UTF-8; send such bytes in "value_base64" or "key_base64"`)
}

function readHeaders(headers: unknown, fail: Fail): NewRecord['headers'] {
  if (headers === undefined) return NO_HEADERS
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    throw fail('"headers" must be an object')
  return Object.entries(headers).map(([name, value]) => {
    if (typeof value !== 'string') throw fail(`header "${name}" must be text`)
    return { name: checkText(name, 'the name of a header', fail), value: toBytes(value, `header "${name}"`, fail) }
  })
}

function readTimestamp(timestamp: unknown, fail: Fail): number | undefined {
  if (timestamp === undefined) return undefined
  const timestampMs = typeof timestamp === 'string' ? parseIsoTime(timestamp) : undefined
  if (timestampMs === undefined || timestampMs < 0) throw fail('"timestamp" must be an ISO 8601 time since 1970')
  return timestampMs
}

function readPartition(partition: unknown, fail: Fail): number | undefined {
  if (partition === undefined) return undefined
  if (!Number.isSafeInteger(partition) || (partition as number) < 0) throw fail('"partition" must be a number from 0')
  return partition as number
}
