/** Previews of given records and of an embedded log: equal to what a rollup computes, and what is told beside that. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EmbeddedLogSource } from '../../src/adapters/embedded/embedded-log-source.ts'
import { EmbeddedLogWriter } from '../../src/adapters/embedded/embedded-log-writer.ts'
import { createPlanner } from '../../src/main/create-planner.ts'
import type { PreviewRequest } from '../../src/service/preview/preview-request.ts'
import { runPreview } from '../../src/service/preview/run-preview.ts'
import { SeededRandom } from '../fuzz/seeded-random.ts'
import { QueryFixture } from '../query/query-fixture.ts'
import { createDataFolder } from '../support/running-service.ts'

/** Records of one topic, one a millisecond, over three partitions in turn. */
const TOPIC_RECORDS = 600
const FIRST_MS = 1_750_000_000_000
const GROUPED = 'SELECT k, COUNT(*) AS n FROM _input GROUP BY k'

const folder = createDataFolder()
let writer: EmbeddedLogWriter
let source: EmbeddedLogSource
let fixture: QueryFixture
let planRollup: Awaited<ReturnType<typeof createPlanner>>

beforeAll(async () => {
  planRollup = await createPlanner()
  fixture = await QueryFixture.create()
  const path = join(folder.path, 'log.db')
  writer = new EmbeddedLogWriter({ path, now: () => FIRST_MS, retention: {} })
  source = new EmbeddedLogSource({ path })
  await writer.createTopic('events', 3)
  const records = Array.from({ length: TOPIC_RECORDS }, (_, index) => ({
    value: index % 10 === 9 ? null : Buffer.from(JSON.stringify({ i: index, k: `k${index % 4}` })),
    key: Buffer.from(`key ${index}`),
    headers: [{ name: 'h', value: Buffer.from(`header ${index}`) }],
    timestampMs: FIRST_MS + index,
    partition: index % 3,
  }))
  await writer.produce('events', records)
})

afterAll(async () => {
  fixture.close()
  await source.close()
  await writer.close()
  folder.remove()
})

type Row = Record<string, unknown>
interface Shown {
  readonly source_rows: { partition: number; offset: number; outcome: string; group?: Row; partials?: Row }[]
  readonly groups: Row[]
  readonly hidden_groups: Row[]
  readonly steps: {
    record: number
    group_count: number
    id?: string
    is_new?: boolean
    is_hidden?: boolean
    row?: Row
    changed?: string[]
  }[]
  readonly rejected: { offset: number; code: string; reason: string; position?: number }[]
  readonly filtered: number
  readonly fields: { path: string; share: number; kinds: Row }[]
  readonly warnings: string[]
  readonly errors?: { column: string; group?: string; code: string }[]
}

async function preview(sql: string, from: PreviewRequest['from'], more: Partial<PreviewRequest> = {}): Promise<Shown> {
  const request: PreviewRequest = { sql, from, steps: false, onError: 'dead_letter', receivedAtMs: FIRST_MS, ...more }
  return JSON.parse(await runPreview(request, { source, planRollup, clock: () => performance.now() })) as Shown
}

const given = (records: readonly (string | object)[]): PreviewRequest['from'] => ({
  kind: 'records',
  values: records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))),
})

/** Values of all kinds, some of them wrong for what the statements do with them. */
function randomRecords(seed: number, count: number): (string | object)[] {
  const random = new SeededRandom(seed)
  const value = (): unknown =>
    random.pick([null, 0, 1, 2.5, -7, 1e300, 0.1, '12', 'x', true, [1], { a: 1 }, random.below(1000)])
  return Array.from({ length: count }, () => {
    if (random.chance(0.05)) return random.pick(['', '[]', 'null', '{"a":', '{"k":"\uFFFD"}'])
    return { k: value(), v: random.chance(0.7) ? random.below(1000) / 8 : value(), ok: random.chance(0.8), u: value() }
  })
}

const STATEMENTS = [
  'SELECT k, COUNT(*) AS n, SUM(v) AS s, AVG(v) AS a FROM _input WHERE ok GROUP BY k HAVING COUNT(*) > 7',
  'SELECT COUNT(*) AS n, MIN(v) AS low, MAX(v) AS high, APPROX_DISTINCT(u) AS users FROM _input',
  'SELECT k, v > 50 AS large, COUNT(v) * AVG(v) AS both FROM _input GROUP BY k, v > 50 HAVING AVG(v) < 90',
  'SELECT k, SUM(v) FILTER (WHERE ok) AS s, 10 / COUNT(*) FILTER (WHERE ok) AS share FROM _input GROUP BY k',
]

test.each(STATEMENTS)('groups are those of a rollup: %s', async (sql) => {
  const random = new SeededRandom(STATEMENTS.indexOf(sql))
  for (let seed = 0; seed < 5; seed++) {
    const name = `r${STATEMENTS.indexOf(sql)}_${seed}`
    const records = randomRecords(seed, 200)
    fixture.rollup(name, sql)
    // in batches of any size, where the preview takes one record at a time
    for (let first = 0; first < records.length;) {
      const next = first + 1 + random.below(60)
      fixture.ingest(name, records.slice(first, next))
      first = next
    }
    const rows = (from: string) =>
      fixture.lines(`SELECT * FROM ${from}`, { onCellError: 'null' }).map((line) => JSON.parse(line) as Row)
    for (const steps of [false, true]) {
      const shown = await preview(sql, given(records), { steps })
      expect(sorted(shown.groups)).toEqual(sorted(rows(name)))
      expect(sorted([...shown.groups, ...shown.hidden_groups])).toEqual(sorted(rows(`unfiltered(${name})`)))
      const rejected = shown.rejected.map(({ offset, code }) => ({ offset, code }))
      const id = fixture.leaf.findRollup(name)?.id ?? -1
      const kept = fixture.leaf.listDeadLetters(id, 1000, 0).map(({ offset, code }) => ({ offset, code }))
      // the fixture keeps the newest of each batch
      expect(rejected).toEqual(expect.arrayContaining(kept))
      const { counts } = fixture.leaf.findRollup(name)?.shards[0] ?? { counts: undefined }
      expect({ filtered: shown.filtered, dead: rejected.length }).toEqual({
        filtered: counts?.filtered,
        dead: counts?.dead,
      })
    }
  }
})

function sorted(rows: readonly Row[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

test('each record stands beside what became of it', async () => {
  const sql = 'SELECT upper(k) AS name, COUNT(*) AS n, AVG(v) AS a FROM _input WHERE ok GROUP BY upper(k)'
  const records = [
    { k: 'a', v: 12345678901234, ok: true },
    { k: 'a', v: 3, ok: false },
    { k: 'a', v: 'x', ok: true },
    { k: 7, v: 1, ok: true },
    'no JSON',
  ]
  const { source_rows: rows, rejected, filtered } = await preview(sql, given(records))
  expect(rows.map(({ offset, outcome, group, partials }) => ({ offset, outcome, group, partials }))).toEqual([
    { offset: 0, outcome: 'aggregated', group: { name: 'A' }, partials: { 'COUNT(*)': 1, 'AVG(v)': 12345678901234 } },
    { offset: 1, outcome: 'filtered' },
    { offset: 2, outcome: 'rejected' },
    { offset: 3, outcome: 'rejected' },
    { offset: 4, outcome: 'rejected' },
  ])
  expect(rejected).toEqual([
    {
      partition: 0,
      offset: 2,
      code: 'wrong_kind',
      reason: "AVG(v): avg doesn't take text",
      position: sql.indexOf('v)') + 1,
    },
    {
      partition: 0,
      offset: 3,
      code: 'wrong_kind',
      reason: expect.stringContaining('GROUP BY name: '),
      position: sql.lastIndexOf('upper') + 1,
    },
    { partition: 0, offset: 4, code: 'invalid_json', reason: 'not JSON at byte 0' },
  ])
  expect(filtered).toBe(1)
})

test('all digits are kept, and a cell without a value is told', async () => {
  const sql = 'SELECT k, SUM(v) AS s, 1 / (COUNT(*) - 1) AS broken FROM _input GROUP BY k'
  const records = given(['{"k":1,"v":9007199254740993}'])
  const text = await runPreview(
    { sql, from: records, steps: false, onError: 'dead_letter', receivedAtMs: 0 },
    { source, planRollup, clock: () => 0 },
  )
  expect(text).toContain('"groups":[{"k":1,"s":9007199254740993,"broken":null}]')
  expect((JSON.parse(text) as Shown).errors).toMatchObject([
    { column: 'broken', group: 'k = 1', code: 'division_by_zero' },
  ])
})

test('steps show a rollup that grows', async () => {
  const sql = 'SELECT k, COUNT(*) AS n, MAX(v) AS m FROM _input WHERE ok GROUP BY k HAVING COUNT(*) > 1'
  const records = [
    { k: 'a', v: 5, ok: true },
    { k: 'b', v: 1, ok: true },
    { k: 'a', v: 4, ok: false },
    { k: 'a', v: 3, ok: true },
    { k: 'a', v: 9, ok: true },
  ]
  const { steps } = await preview(sql, given(records), { steps: true })
  const all = ['k', 'n', 'm']
  const a = (row: object, more: object) => ({ id: steps[0]?.id, is_new: false, row: { k: 'a', ...row }, ...more })
  expect(steps).toEqual([
    { record: 0, group_count: 1, ...a({ n: 1, m: 5 }, { is_new: true, is_hidden: true, changed: all }) },
    {
      record: 1,
      group_count: 2,
      id: expect.any(String),
      is_new: true,
      is_hidden: true,
      row: { k: 'b', n: 1, m: 1 },
      changed: all,
    },
    { record: 2, group_count: 2 },
    { record: 3, group_count: 2, ...a({ n: 2, m: 5 }, { is_hidden: false, changed: ['n'] }) },
    { record: 4, group_count: 2, ...a({ n: 3, m: 9 }, { is_hidden: false, changed: ['n', 'm'] }) },
  ])
})

test('with grouping sets a record goes to a group of each', async () => {
  const sql = 'SELECT k, GROUPING(k) AS g, COUNT(*) AS n, SUM(v) AS s FROM _input GROUP BY ROLLUP (k)'
  const {
    source_rows: rows,
    groups,
    steps,
  } = await preview(
    sql,
    given([
      { k: 'a', v: 1 },
      { k: null, v: 2 },
    ]),
    { steps: true },
  )
  const partials = (v: number) => ({ 'COUNT(*)': 1, 'SUM(v)': v })
  expect(rows).toMatchObject([
    {
      group: { k: 'a', g: 0 },
      partials: partials(1),
      more_groups: [{ group: { k: null, g: 1 }, partials: partials(1) }],
    },
    {
      group: { k: null, g: 0 },
      partials: partials(2),
      more_groups: [{ group: { k: null, g: 1 }, partials: partials(2) }],
    },
  ])
  expect(groups).toEqual([
    { k: 'a', g: 0, n: 1, s: 1 },
    { k: null, g: 0, n: 1, s: 2 },
    { k: null, g: 1, n: 2, s: 3 },
  ])
  expect(steps.map(({ record, row }) => [record, row])).toEqual([
    [0, { k: 'a', g: 0, n: 1, s: 1 }],
    [0, { k: null, g: 1, n: 1, s: 1 }],
    [1, { k: null, g: 0, n: 1, s: 2 }],
    [1, { k: null, g: 1, n: 2, s: 3 }],
  ])
})

test('fields have their kinds and shares', async () => {
  const records = [
    { a: 1, 'user id': 'x', d: { osVersion: null, os: 'b' } },
    { a: '1', d: { os: 'c' } },
    { a: 2, tags: [{ x: 1 }] },
    { d: true },
    'broken',
  ]
  expect((await preview('SELECT COUNT(*) FROM _input', given(records))).fields).toEqual([
    { path: 'a', share: 0.75, kinds: { number: 0.5, text: 0.25 } },
    { path: '"user id"', share: 0.25, kinds: { text: 0.25 } },
    { path: 'd', share: 0.75, kinds: { object: 0.5, boolean: 0.25 } },
    { path: 'd."osVersion"', share: 0.25, kinds: { null: 0.25 } },
    { path: 'd.os', share: 0.5, kinds: { text: 0.5 } },
    { path: 'tags', share: 0.25, kinds: { array: 0.25 } },
  ])
})

const MILLISECONDS = [1_750_000_000_000, 1_750_000_100_000]
test.each<[string, object[], string[]]>([
  [
    'SELECT COUNT(userid) AS n FROM _input',
    [{ userId: 1 }],
    ['no record of the sample has the field userid; the data has "userId"'],
  ],
  [
    'SELECT COUNT(contry) AS n FROM _input',
    [{ country: 1 }],
    ['no record of the sample has the field contry; the data has country'],
  ],
  [
    'SELECT COUNT(os) AS n FROM _input',
    [{ device: { os: 1 } }],
    ['no record of the sample has the field os; the data has device.os'],
  ],
  ['SELECT COUNT(nothing) AS n FROM _input', [{ a: 1 }], ['no record of the sample has the field nothing']],
  ['SELECT COUNT(a) AS n FROM _input WHERE b[1] IS NULL', [{ b: [] }, { a: null }], []],
  [
    'SELECT MAX(to_timestamp(at)) AS t FROM _input',
    MILLISECONDS.map((at) => ({ at })),
    ['the numbers of at look like milliseconds, to_timestamp takes seconds: write timestamp_millis(at)'],
  ],
  ['SELECT MAX(timestamp_millis(at)) AS t FROM _input', MILLISECONDS.map((at) => ({ at })), []],
  ['SELECT MAX(to_timestamp(at)) AS t FROM _input', [{ at: 1_750_000_000 }], []],
  [
    'SELECT MAX(timestamp_millis(at)) AS t FROM _input',
    [{ at: 1_750_000_000 }],
    ['the numbers of at look like seconds, timestamp_millis takes milliseconds: write to_timestamp(at)'],
  ],
  [
    'SELECT COUNT(*) AS n FROM _input WHERE ok',
    [{ ok: false }, { ok: null }],
    ['WHERE leaves out every record of the sample'],
  ],
  [
    'SELECT COUNT(*) AS n FROM _input WHERE status = 1',
    [{ status: '1' }, { status: 1 }, { status: 'x' }],
    ['in 2 records values of two kinds (such as a number and a text) were compared, which gives null'],
  ],
  [
    'SELECT id, COUNT(*) AS n FROM _input GROUP BY id, k',
    Array.from({ length: 40 }, (_, id) => ({ id, k: id % 2 })),
    ['the grouping column id has 40 different values in 40 records: nearly every record makes a group of its own'],
  ],
])('warnings: %s', async (sql, records, warnings) => {
  expect((await preview(sql, given(records))).warnings).toEqual(warnings)
})

test('the header of a schema registry is seen', async () => {
  const { warnings, rejected } = await preview(
    'SELECT COUNT(*) FROM _input',
    given(['\0\0\0\0\u0007{"a":1}', '{"a":1}']),
  )
  expect(rejected).toMatchObject([{ offset: 0, code: 'invalid_json' }])
  expect(warnings).toEqual([
    expect.stringMatching(/^one value begins with the header of a schema registry .* before the JSON/),
  ])
})

test('no records: the global group, and a word', async () => {
  const shown = await preview('SELECT COUNT(*) AS n FROM _input', given([]))
  expect(shown).toMatchObject({ groups: [{ n: 0 }], source_rows: [], warnings: ['there are no records in the sample'] })
})

/** Indexes of the records that a sample took. */
async function sampled(start: Extract<PreviewRequest['from'], { kind: 'topic' }>['start'], sample: number) {
  const { source_rows: rows } = await preview(GROUPED, { kind: 'topic', topic: 'events', start, sample })
  return rows.map(({ partition, offset }) => offset * 3 + partition)
}

const records = (first: number, next: number) =>
  Array.from({ length: next - first }, (_, index) => first + index).filter((index) => index % 10 !== 9)

test('a sample begins where it is told to', async () => {
  // of each partition as many
  expect(await sampled('earliest', 9)).toEqual(records(0, 10))
  // tombstones are no source rows, so it looks back further than its size
  expect(await sampled('latest', 90)).toEqual(records(500, 600))
  expect(await sampled('latest', 10_000)).toEqual(records(0, 600))
  expect(await sampled('earliest', 10_000)).toEqual(records(0, 600))
  expect(await sampled({ timestamp: new Date(FIRST_MS + 300).toISOString() }, 9)).toEqual(records(300, 310).slice(0, 9))
  const offsets = await sampled({ offsets: { '0': 100, '1': 100, '2': 100 } }, 9)
  expect(offsets).toEqual(records(300, 310).slice(0, 9))
})

test('metadata of sampled records are those of the log', async () => {
  const sql =
    'SELECT _meta.topic AS t, _meta.key AS k, _meta.headers.h AS h, _meta.timestamp AS at, COUNT(*) AS n FROM _input GROUP BY 1, 2, 3, 4'
  const { groups } = await preview(sql, { kind: 'topic', topic: 'events', start: 'earliest', sample: 1 })
  expect(groups).toEqual([
    { t: 'events', k: 'key 0', h: 'header 0', at: new Date(FIRST_MS).toISOString().replace('.000', ''), n: 1 },
  ])
})

test('a topic that is not there, a start that the log does not have', async () => {
  const from = { kind: 'topic', topic: 'evnts', start: 'latest', sample: 1 } as const
  await expect(preview(GROUPED, from)).rejects.toMatchObject({ code: 'unknown_topic', hint: 'Did you mean events?' })
  const beyond = { ...from, topic: 'events', start: { offsets: { '0': 1000 } } }
  await expect(preview(GROUPED, beyond)).rejects.toMatchObject({ code: 'start_out_of_range' })
})
