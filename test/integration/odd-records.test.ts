/** Records of every odd kind through the whole service: each is counted once, as a group's or as a dead letter with its reason. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { assertConservation } from '../support/rollup-checks.ts'

const VALUE_BYTES_MAX = 16 * 1024 * 1024
const INVALID_UTF8 = [0xff, 0xfe]
const OVERLONG_UTF8 = [0xc0, 0xaf]
const SURROGATE_UTF8 = [0xed, 0xa0, 0x80]

/** Text, and bytes as they are. */
function join(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
}

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

function padded(bytes: number): string {
  const head = '{"k":"large","v":1,"unused":"'
  return `${head}${'a'.repeat(bytes - head.length - 2)}"}`
}

/** What `GROUP BY k` gives for the record, or the code of its dead letter. */
const RECORDS: readonly [value: string | Buffer, expected: { k: unknown } | string][] = [
  // text
  [join('{"k":"', INVALID_UTF8, '","v":1}'), 'invalid_text'],
  [join('{"k":"', OVERLONG_UTF8, '","v":1}'), 'invalid_text'],
  [join('{"k":"', SURROGATE_UTF8, '","v":1}'), 'invalid_text'],
  [join('{"k":"invalid, unused","v":1,"unused":"', INVALID_UTF8, '"}'), { k: 'invalid, unused' }],
  [join('{"k":"invalid name","v":1,"un', INVALID_UTF8, '":1}'), { k: 'invalid name' }],
  ['{"k":"\\ud800","v":1}', 'invalid_text'],
  ['{"k":"lone, unused","v":1,"unused":"\\ud800"}', { k: 'lone, unused' }],
  ['{"k":"\\ud83d\\ude00","v":1}', { k: '\u{1f600}' }],
  ['{"k":"\\u0000","v":1}', 'invalid_text'],
  ['{"k":"nul, unused","v":1,"unused":"\\u0000"}', { k: 'nul, unused' }],
  ['{"k":"\u2028","v":1}', { k: '\u2028' }],
  // nesting: the object counts
  [`{"k":"511","v":1,"unused":${nested(510)}}`, { k: '511' }],
  [`{"k":"512","v":1,"unused":${nested(511)}}`, { k: '512' }],
  [`{"k":"513","v":1,"unused":${nested(512)}}`, 'too_deep'],
  [`{"k":"deep","v":1,"unused":${nested(100_000)}}`, 'too_deep'],
  // numbers
  [`{"k":"1000 digits","v":${'1'.repeat(1000)}}`, { k: '1000 digits' }],
  [`{"k":"1001 digits","v":${'1'.repeat(1001)}}`, 'number_out_of_range'],
  [`{"k":"1001 unused","v":1,"unused":${'1'.repeat(1001)}}`, { k: '1001 unused' }],
  ['{"k":"e400","v":1e400}', 'number_out_of_range'],
  ['{"k":"e400 unused","v":1,"unused":1e400}', { k: 'e400 unused' }],
  ['{"k":1e400,"v":1}', 'number_out_of_range'],
  ['{"k":-0,"v":1}', { k: 0 }],
  ['{"k":0.0,"v":1}', { k: 0 }],
  ['{"k":30e-1,"v":1}', { k: 3 }],
  ['{"k":3.0,"v":1}', { k: 3 }],
  ['{"k":3,"v":1}', { k: 3 }],
  ['{"k":"3","v":1}', { k: '3' }],
  // kinds
  ['{"k":"text","v":"5"}', 'wrong_kind'],
  ['{"k":"boolean","v":true}', 'wrong_kind'],
  ['{"k":"object","v":{}}', 'wrong_kind'],
  ['{"k":"null","v":null}', { k: 'null' }],
  ['{"k":null,"v":1}', { k: null }],
  ['{"v":1}', { k: null }],
  ['{}', { k: null }],
  ['{"k":true,"v":1}', { k: true }],
  ['{"k":[1],"v":1}', { k: [1] }],
  ['{"k":{"b":1,"a":2},"v":1}', { k: { a: 2, b: 1 } }],
  ['{"k":{"a":2,"b":1},"v":1}', { k: { a: 2, b: 1 } }],
  ['{"k":"first","k":"last","v":1}', { k: 'last' }],
  ['{"\\u006b":"escaped name","v":1}', { k: 'escaped name' }],
  ['{"__proto__":{"k":"x"},"v":1}', { k: null }],
  // documents
  ['', 'empty_value'],
  [' ', 'invalid_json'],
  ['null', 'not_an_object'],
  ['true', 'not_an_object'],
  ['5', 'not_an_object'],
  ['"text"', 'not_an_object'],
  ['[{"k":1}]', 'not_an_object'],
  ['\ufeff{"k":"mark"}', 'invalid_json'],
  ['{"k":"tail","v":1}x', 'invalid_json'],
  ['{"k":"two","v":1}{}', 'invalid_json'],
  [' {"k":"spaces","v":1} \n\t\r ', { k: 'spaces' }],
  ['\f{"k":"form feed"}', 'invalid_json'],
  ['\u00a0{"k":"no-break space"}', 'invalid_json'],
  ['{"k":"comma",}', 'invalid_json'],
  ["{'k':'quotes'}", 'invalid_json'],
  ...['NaN', 'Infinity', '+1', '01', '.5', '5.', '0x1', '"\\x"', '"\\u12"', '"a\tb"', '"a\nb"', 'nul', ''].map(
    (value): [string, string] => [`{"k":${value}}`, 'invalid_json'],
  ),
  [Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 'invalid_json'],
  // size
  [padded(VALUE_BYTES_MAX), { k: 'large' }],
  [padded(VALUE_BYTES_MAX + 1), 'too_large'],
]

const data = createDataFolder()
let service: RunningService
let next = 0

beforeAll(async () => {
  service = await startRollupd({ data: data.path })
  await service.createTopic('odd')
  for (const on_error of ['dead_letter', 'null', 'halt']) {
    const sql = 'SELECT k, COUNT(*) AS n, SUM(v) AS s FROM _input GROUP BY k'
    await service.createRollup(`on_${on_error}`, sql, 'odd', { on_error })
  }
  const lines = RECORDS.map(([value]) => JSON.stringify({ value_base64: Buffer.from(value).toString('base64') }))
  const posted = JSON.parse(
    await service.api.postLines('/v1/topics/odd/records?format=envelope', Buffer.from(lines.join('\n'))),
  ) as { offsets: Record<string, { next: number }> }
  next = posted.offsets['0']?.next ?? -1
  expect(next).toBe(RECORDS.length)
})

afterAll(async () => {
  await service.stop()
  data.remove()
})

test('each record is a group or a dead letter', async () => {
  const groups = new Map<string, number>()
  for (const [, expected] of RECORDS) {
    if (typeof expected === 'string') continue
    const key = JSON.stringify(expected.k)
    groups.set(key, (groups.get(key) ?? 0) + 1)
  }
  const rows = await service.rows('SELECT k, n FROM on_dead_letter', 'odd', next)
  expect(new Map(rows.map(({ k, n }) => [JSON.stringify(k), n]))).toEqual(groups)
  const { dead_letters } = await service.api.callJson<{ dead_letters: { offset: number; code: string }[] }>(
    'GET',
    '/v1/rollups/on_dead_letter/dead-letters?limit=1000',
  )
  const dead = RECORDS.flatMap(([, expected], offset) =>
    typeof expected === 'string' ? [{ offset, code: expected }] : [],
  )
  expect(dead_letters.map(({ offset, code }) => ({ offset, code }))).toEqual(dead)
  const rollup = await service.rollup('on_dead_letter')
  expect(rollup.counts).toMatchObject({ dead: dead.length, aggregated: RECORDS.length - dead.length })
  assertConservation(rollup)
})

test('with on_error null only what is no document at all is dead', async () => {
  const documents = ['empty_value', 'invalid_json', 'not_an_object', 'too_deep', 'too_large']
  const dead = RECORDS.filter(([, expected]) => typeof expected === 'string' && documents.includes(expected)).length
  await service.rows('SELECT k FROM on_null', 'odd', next)
  const rollup = await service.rollup('on_null')
  expect(rollup.counts).toMatchObject({ dead, aggregated: RECORDS.length - dead })
  assertConservation(rollup)
})

test('with on_error halt each is decided on in turn', async () => {
  const bad = RECORDS.flatMap(([, expected], offset) => (typeof expected === 'string' ? [offset] : []))
  for (const offset of bad.slice(0, 3)) {
    await expect
      .poll(async () => (await service.rollup('on_halt')).shards.map((shard) => [shard.status, shard.next_offset]), {
        timeout: 10_000,
      })
      .toEqual([['halted', offset]])
    await service.api.call('POST', '/v1/rollups/on_halt/resume', { accept: ['record_error'] })
  }
  await expect.poll(async () => (await service.rollup('on_halt')).counts.dead, { timeout: 10_000 }).toBe(3)
  assertConservation(await service.rollup('on_halt'))
})
