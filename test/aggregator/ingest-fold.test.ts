/** What becomes of records: groups, filtered ones, dead letters, halts (laws 4, 6 and 9). */
import { expect, test } from 'vitest'
import { sumConserved, toTopicId } from '../../src/core/shard.ts'
import { createFold, finishGroup, foldRecords, passRecords, SHARD, takeBatch } from './fold-records.ts'
import { planOf } from '../support/plan-of.ts'

test('records are grouped, and each aggregate keeps its state', () => {
  const { rows, counts } = foldRecords(
    `SELECT k, COUNT(*) AS n, COUNT(v) AS c, SUM(v) AS s, AVG(v) AS a, MIN(v) AS lo, MAX(v) AS hi,
       APPROX_DISTINCT(v) AS d FROM _input WHERE ok GROUP BY k`,
    [
      '{"k":"x","v":7,"ok":true}',
      '{"k":"x","v":null,"ok":true}',
      '{"k":"x","v":8,"ok":true}',
      '{"k":"x","v":9,"ok":false}',
      '{"k":"y","ok":true}',
      '{"k":"y","v":1}',
    ],
  )
  expect(rows).toEqual([
    ['x', 3n, 2n, 15n, 7.5, 7n, 8n, 2n].map(toShown),
    ['y', 1n, 0n, null, null, null, null, 0n].map(toShown),
  ])
  expect(counts).toMatchObject({ aggregated: 4, filtered: 2, dead: 0 })
})

/** An undeclared grouping value is its key bytes. */
const toShown = (value: unknown): unknown =>
  typeof value === 'string' ? Buffer.from(`\u0020${value}\0`).toString('hex') : value

test('kinds of a key are groups of their own, equal numbers are one', () => {
  const values = ['3', '3.0', '30e-1', '"3"', 'true', '"true"', 'null', '"null"', '-0', '0']
  const { rows } = foldRecords('SELECT k, COUNT(*) AS n FROM _input GROUP BY k', [
    ...values.map((value) => `{"k":${value}}`),
    '{}',
  ])
  expect(rows.map(([, count]) => count)).toEqual([1n, 1n, 1n, 2n, 3n, 1n, 2n])
})

test('a record that fails in its last aggregate changes nothing', () => {
  const sql = 'SELECT k, COUNT(*) AS n, SUM(v) AS s, MAX(w) AS m FROM _input GROUP BY k'
  const good = '{"k":"a","v":1,"w":2}'
  const whole = foldRecords(sql, [good, '{"k":"a","v":5,"w":[1]}', '{"k":"new","v":1,"w":{}}'])
  expect(whole.rows).toEqual(foldRecords(sql, [good]).rows)
  expect(whole.counts).toMatchObject({ aggregated: 1, dead: 2 })
  expect(whole.deadLetters).toEqual([
    "1 wrong_kind: MAX(w): max doesn't take an array",
    "2 wrong_kind: MAX(w): max doesn't take an object",
  ])
})

test('a value that is no number for SUM is a dead letter whose reason names the field', () => {
  const { rows, deadLetters } = foldRecords('SELECT SUM(v) AS s, MIN(v) AS lo FROM _input', ['{"v":5}', '{"v":""}'])
  expect(rows).toEqual([[5n, 5n]])
  expect(deadLetters).toEqual(["1 wrong_kind: SUM(v): sum doesn't take text"])
})

test('a broken field harms a record only where it is evaluated', () => {
  const { rows, deadLetters } = foldRecords(
    `SELECT COUNT(*) AS n, SUM(CASE WHEN use THEN v END) AS s, COUNT(*) FILTER (WHERE use AND v > 1) AS f FROM _input`,
    ['{"use":true,"v":2}', '{"use":false,"v":1e400}', '{"use":false,"v":"\\ud800"}', '{"use":true,"v":1e400}'],
  )
  expect(rows).toEqual([[3n, 2, 1n].map((value) => (value === 2 ? 2n : value))])
  expect(deadLetters).toHaveLength(1)
  expect(deadLetters[0]).toMatch(/^3 number_out_of_range: .*field v is outside the range of double precision$/)
})

test('what fails inside try is null there, and fails again where it stands bare', () => {
  const records = ['{"v":"1","ok":true}', '{"v":"x","ok":true}', '{"v":"x","ok":false}', '{"v":[2],"ok":false}']
  const both = `SELECT SUM(try(v::bigint)) AS s, COUNT(*) AS n, SUM(CASE WHEN ok THEN v::bigint END) AS bare FROM _input`
  for (const sql of [both, both.replace(/(SUM\(try.*?\) AS s), (.*) FROM/, '$2, $1 FROM')]) {
    const { deadLetters, counts } = foldRecords(sql, records)
    expect(deadLetters).toEqual([
      '1 invalid_cast: SUM(CASE WHEN ok THEN v::bigint ELSE NULL::bigint END): invalid input for bigint: "x"',
    ])
    expect(counts).toMatchObject({ aggregated: 3, dead: 1 })
  }
  expect(foldRecords(both, records).rows).toEqual([[1n, 3n, 1n]])
  // an inner try is left first; the field itself may be what has no value
  const nested = foldRecords(
    'SELECT COUNT(try(coalesce(try(v::bigint), 10 / w::bigint))) AS n FROM _input WHERE try(u > 1) IS NULL',
    ['{"v":"x","w":0}', '{"v":"x","w":5}', '{"v":"1","u":1e999}', '{"u":2}'],
  )
  expect(nested.rows).toEqual([[2n]])
  expect(nested.counts).toMatchObject({ aggregated: 3, filtered: 1, dead: 0 })
})

test('a part of a condition is evaluated once, whoever needs it first', () => {
  const { rows } = foldRecords(
    `SELECT COUNT(*) FILTER (WHERE a > 0 AND 10 / b > 1) AS first,
       SUM(CASE WHEN b <> 0 THEN 10 / b ELSE 0 END) AS second, COUNT(*) FILTER (WHERE b = 0 OR 10 / b > 3) AS third
     FROM _input`,
    ['{"a":1,"b":2}', '{"a":0,"b":0}', '{"a":0,"b":5}'],
  )
  expect(rows).toEqual([[1n, 7, 2n]])
})

test('documents that are none, and texts and numbers that are none', () => {
  const invalid = Buffer.concat([Buffer.from('{"k":"'), Buffer.from([0xff]), Buffer.from('"}')])
  const deep = `${'{"k":'.repeat(600)}1${'}'.repeat(600)}`
  const inputs = [
    '',
    '[1]',
    '{"k":"a"',
    "{'k':'a'}",
    '{"k":NaN}',
    deep,
    { value: invalid },
    '{"k":"a\\u0000b"}',
    '{"k":"\\ud83d"}',
    `{"k":${'9'.repeat(1001)}}`,
    '{"k":1e-400}',
    '{"k":"ok"}',
  ]
  const { rows, counts, deadLetters } = foldRecords('SELECT k, COUNT(*) AS n FROM _input GROUP BY k', inputs)
  expect(rows).toHaveLength(1)
  expect(counts).toMatchObject({ aggregated: 1, dead: 11 })
  expect(deadLetters.map((letter) => letter.split(':')[0])).toEqual([
    '0 empty_value',
    '1 not_an_object',
    '2 invalid_json',
    '3 invalid_json',
    '4 invalid_json',
    '5 too_deep',
    '6 invalid_text',
    '7 invalid_text',
    '8 invalid_text',
    '9 number_out_of_range',
    '10 number_out_of_range',
  ])
})

test('escaped texts are the texts that they stand for', () => {
  const { rows } = foldRecords('SELECT k, COUNT(*) AS n FROM _input GROUP BY k', [
    '{"k":"caf\\u00e9"}',
    '{"k":"café"}',
    '{"\\u006b":"caf\\u00E9"}',
    '{"k":"\\ud83d\\ude00"}',
    '{"k":"😀"}',
  ])
  expect(rows.map(([, count]) => count)).toEqual([3n, 2n])
})

test('integers keep every digit, 0 has no sign', () => {
  const digits = `1${'0'.repeat(900)}7`
  const { rows } = foldRecords('SELECT SUM(v) AS s, MIN(w) AS w FROM _input', [
    `{"v":${digits},"w":-0.0}`,
    '{"v":-0,"w":5}',
  ])
  expect(rows).toEqual([[BigInt(digits), 0n]])
})

test('on_error null: the failing call is NULL, a value that an aggregate does not take is skipped', () => {
  const { rows, counts } = foldRecords(
    'SELECT lower(k) AS k, COUNT(*) AS n, SUM(a / b) AS s, MAX(v) AS m FROM _input GROUP BY 1',
    [
      '{"k":"A","a":8,"b":2,"v":1}',
      '{"k":"a","a":1,"b":0,"v":[]}',
      '{"k":5,"a":1,"b":1}',
      '{"k":"a"',
      '{"k":"a","v":3}',
    ],
    { onError: 'null' },
  )
  expect(rows).toEqual([
    ['a', 3n, 4, 3n],
    [null, 1n, 1, null],
  ])
  expect(counts).toMatchObject({ aggregated: 4, dead: 1 })
})

test('two kinds in a comparison, a condition that is no boolean: null, counted once a record', () => {
  const { rows, counts } = foldRecords('SELECT COUNT(*) AS n FROM _input WHERE ok AND v > 5 AND w > 5', [
    '{"ok":true,"v":6,"w":6}',
    '{"ok":true,"v":"6","w":"6"}',
    '{"ok":"yes","v":6,"w":6}',
    '{"ok":false,"v":"6"}',
    '{"v":6}',
  ])
  expect(rows).toEqual([[1n]])
  expect(counts).toMatchObject({ aggregated: 1, filtered: 4, kind_mismatch: 2 })
})

test('WHERE on a field alone takes true only', () => {
  const values = ['true', 'false', 'null', '1', '"true"', '[]']
  const { counts } = foldRecords(
    'SELECT COUNT(*) AS n FROM _input WHERE ok',
    values.map((value) => `{"ok":${value}}`),
  )
  expect(counts).toMatchObject({ aggregated: 1, filtered: 5, kind_mismatch: 3 })
})

test('IN is true, null or false as SQL has it', () => {
  const values = ['1', '2', '3', 'null', '"1"']
  const records = values.map((value) => `{"v":${value},"w":2}`)
  const count = (condition: string): unknown =>
    foldRecords(`SELECT COUNT(*) FILTER (WHERE ${condition}) AS n FROM _input`, records).rows[0]?.[0]
  expect(count('v IN (1, 3)')).toBe(2n)
  expect(count('NOT v IN (1, 3)')).toBe(1n)
  expect(count('v IN (1, NULL)')).toBe(1n)
  expect(count('NOT v IN (1, NULL)')).toBe(0n)
  expect(count('v IN (w, 3)')).toBe(2n)
  expect(count('(v IN (w, 3)) IS NULL')).toBe(2n)
})

test('COALESCE and CASE stop at what they need', () => {
  const { rows, deadLetters } = foldRecords('SELECT SUM(COALESCE(a, 10 / b, 0)) AS s, COUNT(*) AS n FROM _input', [
    '{"a":1,"b":0}',
    '{"b":5}',
    '{}',
    '{"b":0}',
  ])
  expect(rows).toEqual([[3, 3n]])
  expect(deadLetters).toEqual([expect.stringMatching(/^3 division_by_zero: SUM\(COALESCE/i)])
})

test('metadata of a record', () => {
  const sql = `SELECT _meta.topic AS t, _meta.partition AS p, _meta.key AS k, _meta.headers.trace AS h,
    MAX(_meta.offset) AS o, MIN(_meta.timestamp) AS ts FROM _input GROUP BY t, p, k, h`
  const headers = [
    { name: 'trace', value: Buffer.from('first') },
    { name: 'other', value: Buffer.from('x') },
    { name: 'trace', value: Buffer.from('last') },
  ]
  const { rows, deadLetters } = foldRecords(sql, [
    { value: '{}', key: 'id-1', headers, timestampMs: 1_700_000_000_123 },
    { value: '{}' },
    { value: '{}', key: Buffer.from([0xff]) },
  ])
  expect(rows).toEqual([
    ['page_views', 3, 'id-1', 'last', 0n, { micros: 1_700_000_000_123_000n }],
    ['page_views', 3, null, null, 1n, { micros: 1_000_000n }],
  ])
  expect(deadLetters).toEqual([expect.stringMatching(/^2 invalid_text: .*the key is not valid UTF-8/)])
})

test('tombstones are counted by the decoder, and law 6 adds up', () => {
  const plan = planOf('SELECT COUNT(*) AS n FROM _input WHERE ok')
  const fold = createFold(plan)
  const { next } = passRecords(fold, ['{"ok":true}', { value: null }, '{"ok":false}', 'x', '{"ok":true}'], {
    first: 40,
  })
  const { ranges } = takeBatch(fold)
  expect(next).toBe(45)
  expect(ranges).toHaveLength(1)
  expect(ranges[0]).toMatchObject({ shard: SHARD, first: 40, next: 45, leaderEpoch: 5, maxTimestampMs: 1000 })
  expect(ranges[0]?.counts).toMatchObject({ aggregated: 2, filtered: 1, dead: 1, tombstones: 1 })
  expect(sumConserved(ranges[0]!.counts)).toBe(5)
})

test('a time groups into a bucket; null and far times too', () => {
  const plan = planOf("SELECT k, date_trunc('day', ts::timestamptz) AS d, COUNT(*) AS n FROM _input GROUP BY 1, 2")
  const fold = createFold(plan)
  passRecords(fold, [
    '{"k":"a","ts":"2025-11-30T12:00:00Z"}',
    '{"k":"a","ts":null}',
    '{"k":"a","ts":"294000-01-01T00:00:00Z"}',
    '{"k":"b","ts":"2025-11-30T23:59:59.999999Z"}',
  ])
  const buckets = takeBatch(fold).groups.map(({ bucket, values }) => [bucket, values[1]])
  const day = Date.UTC(2025, 10, 30) * 1000
  expect(buckets[0]).toEqual([-(2n ** 63n), null])
  expect(buckets[1]).toEqual([day, day])
  expect(buckets[2]).toEqual([day, day])
  expect(typeof buckets[3]?.[0]).toBe('bigint')
  expect(buckets[3]?.[0]).toBe(buckets[3]?.[1])
})

test('halt: nothing of the record or behind it is taken, and its range ends before it', () => {
  const plan = planOf('SELECT COUNT(*) AS n, SUM(v) AS s FROM _input')
  const fold = createFold(plan, { onError: 'halt' })
  const inputs = ['{"v":1}', { value: null }, '{"v":"x"}', '{"v":4}']
  expect(passRecords(fold, inputs).next).toBe(2)
  expect(fold.haltedRecord).toEqual({
    offset: 2,
    reason: "wrong_kind: SUM(v): sum doesn't take text",
  })
  const { groups, ranges, deadLetters } = takeBatch(fold)
  expect(groups.map(({ states }) => finishGroup(plan, states))).toEqual([[1n, 1n]])
  expect(ranges[0]).toMatchObject({ first: 0, next: 2 })
  expect(sumConserved(ranges[0]!.counts)).toBe(2)
  expect(deadLetters).toEqual([])

  expect(passRecords(fold, inputs.slice(2), { first: 2, acceptedErrorOffset: 2 }).next).toBe(4)
  expect(fold.haltedRecord).toBeUndefined()
  const accepted = takeBatch(fold)
  expect(accepted.groups.map(({ states }) => finishGroup(plan, states))).toEqual([[1n, 4n]])
  expect(accepted.deadLetters).toMatchObject([{ offset: 2, code: 'wrong_kind' }])
})

test('ranges of a shard join, those of others stand beside', () => {
  const fold = createFold(planOf('SELECT COUNT(*) AS n FROM _input'))
  const other = { topicId: toTopicId('BBBBBBBBBBBBBBBBBBBBBB'), partition: 3 }
  passRecords(fold, ['{}', '{}'], { first: 10 })
  passRecords(fold, ['{}'], { first: 0, shard: other })
  passRecords(fold, ['{}'], { first: 12 })
  expect(() => passRecords(fold, ['{}'], { first: 20 })).toThrow('begins at 20')
  const { ranges } = takeBatch(fold)
  expect(ranges.map(({ first, next, counts }) => [first, next, counts.aggregated])).toEqual([
    [10, 13, 3],
    [0, 1, 1],
  ])
})

test('dead letters are bounded in number and size, their counts are not: the newest are kept', () => {
  const fold = createFold(planOf('SELECT COUNT(*) AS n FROM _input'), { deadLettersMax: 2 })
  const values = () =>
    takeBatch(fold).deadLetters.map(({ value }) => (value === null ? null : Buffer.from(value).toString()))
  passRecords(fold, ['1', '2', '3', '4', '5'])
  const { ranges, deadLetters } = takeBatch(fold)
  expect(ranges[0]?.counts).toMatchObject({ dead: 5, dead_letters_dropped: 3 })
  expect(deadLetters.map(({ offset, value }) => [offset, Buffer.from(value ?? '').toString()])).toEqual([
    [3, '4'],
    [4, '5'],
  ])
  passRecords(fold, [`"${'x'.repeat(2 * 1024 * 1024)}"`, '1'], { first: 5 })
  expect(values()).toEqual([null, '1'])
})

test('a dead letter that another shard pushes out is counted where it came from', () => {
  const fold = createFold(planOf('SELECT COUNT(*) AS n FROM _input'), { deadLettersMax: 2 })
  passRecords(fold, ['1', '2', '3'])
  passRecords(fold, ['4'], { shard: { ...SHARD, partition: SHARD.partition + 1 } })
  const { ranges, deadLetters } = takeBatch(fold)
  expect(ranges.map(({ counts }) => counts.dead_letters_dropped)).toEqual([2, 0])
  expect(deadLetters.map(({ shard, offset }) => [shard.partition, offset])).toEqual([
    [SHARD.partition, 2],
    [SHARD.partition + 1, 0],
  ])
  const none = createFold(planOf('SELECT COUNT(*) AS n FROM _input'), { deadLettersMax: 0 })
  passRecords(none, ['1', '2'])
  expect(takeBatch(none)).toMatchObject({ deadLetters: [], ranges: [{ counts: { dead: 2, dead_letters_dropped: 2 } }] })
})

test('discard forgets what was folded', () => {
  const plan = planOf('SELECT k, MAX(v) AS m, APPROX_DISTINCT(v) AS d, SUM(v) AS s FROM _input GROUP BY k')
  const fold = createFold(plan)
  passRecords(fold, ['{"k":"a","v":9e300}', '{"k":"b","v":12345678901234567890}'])
  fold.discard()
  expect(fold.seal()).toBeUndefined()
  passRecords(fold, ['{"k":"a","v":2}'], { first: 0 })
  const { groups } = takeBatch(fold)
  expect(groups.map(({ states }) => finishGroup(plan, states))).toEqual([[2n, 1n, 2n]])
})

test('a group key is the grouping set and the values; without GROUP BY there is one group', () => {
  const global = createFold(planOf('SELECT COUNT(*) AS n FROM _input'))
  passRecords(global, ['{}'])
  expect(takeBatch(global).groups).toMatchObject([{ key: '00', bucket: 0, values: [] }])
  const grouped = createFold(
    planOf('SELECT (k::text) AS k, (b::boolean) AS b, COUNT(*) AS n FROM _input GROUP BY 1, 2'),
  )
  passRecords(grouped, ['{"k":"é","b":true}'])
  expect(takeBatch(grouped).groups).toMatchObject([{ key: '0020c3a90041', bucket: 0, values: ['é', 1] }])
})

test('groups that share a weakened id stay apart', () => {
  const fold = createFold(planOf('SELECT k, COUNT(*) AS n FROM _input GROUP BY k'), { idBits: 2 })
  passRecords(
    fold,
    Array.from({ length: 50 }, (_, index) => `{"k":${index % 25}}`),
  )
  const { groups } = takeBatch(fold)
  expect(groups).toHaveLength(25)
  expect(new Set(groups.map(({ id }) => id)).size).toBe(4)
  expect(groups.map(({ id }) => id)).toEqual(groups.map(({ id }) => id).toSorted())
})
