/** A set of rollups folded together against each of them alone: the same batches, to the last byte. */
import { expect, test } from 'vitest'
import { FoldSet } from '../../src/aggregator/fold-set.ts'
import { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import type { FoldedRollup } from '../../src/aggregator/member-fold.ts'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import { at } from '../../src/core/assert.ts'
import { toTopicId, type Shard } from '../../src/core/shard.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { encodeBatch } from '../../src/records/record-batch-encoder.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { plan } from '../property/leaf-run.ts'
import type { Rollup } from '../property/naive-evaluator.ts'
import type { SourceRecord } from '../property/naive-expressions.ts'
import { randomOf, runOptions } from '../property/property-run.ts'
import { printRollup, randomFields, randomRecords, randomRollup } from '../property/random-case.ts'
import { planOf } from '../support/plan-of.ts'

await loadParser()

const TOPIC_ID = toTopicId('AAAAAAAAAAAAAAAAAAAAAQ')
const MEMBERS_MAX = 12
/** A run folds some dozen rollups twice. */
const RUN_SHARE = 5

const shardOf = (partition: number): Shard => ({ topicId: TOPIC_ID, partition })
const toHex = (batch: ArrayBuffer | undefined): string =>
  batch === undefined ? 'none' : Buffer.from(batch).toString('hex')
const ON_ERROR = ['dead_letter', 'dead_letter', 'null', 'halt'] as const

/** A rollup by some of the values that others group by, in another order and number. */
function regroup(random: SeededRandom, made: readonly Rollup[]): Rollup {
  const values = made.flatMap(({ groups }) => groups)
  const groups = Array.from({ length: 1 + random.below(3) }, () => random.pick(values))
  const { outputs, where, onError } = random.pick(made)
  const nodes = [
    ...groups.map((expression, index) => ({ kind: 'group', type: expression.type, index, expression }) as const),
    ...outputs.map(({ node }) => node).filter(({ kind }) => kind === 'aggregate'),
  ]
  return {
    groups,
    grouping: 'plain',
    outputs: nodes.map((node, index) => ({ name: `c${index}`, node })),
    where,
    having: null,
    onError,
  }
}

/** Rollups over the same fields, some with the groups, the outputs or the condition of others. */
function randomRollups(random: SeededRandom, fields: ReturnType<typeof randomFields>): FoldedRollup[] {
  const made: Rollup[] = []
  const count = 2 + random.below(MEMBERS_MAX - 1)
  for (let index = 0; index < count; index++) {
    const isRegrouped = random.chance(0.4) && made.some(({ groups }) => groups.length > 0)
    const own = isRegrouped ? regroup(random, made) : randomRollup(random, fields)
    const other = made.length === 0 ? own : random.pick(made)
    // outputs stand over groups, so they go together
    const { outputs, ...sameGroups } = random.chance(0.6) ? other : own
    const some = outputs.filter((_, place) => place === 0 || random.chance(0.7))
    made.push({ ...sameGroups, outputs: some, where: random.chance(0.6) ? other.where : own.where })
  }
  return made.map((rollup, index) => ({
    rollupId: index + 1,
    plan: plan(printRollup({ rollup, groupStyle: 'expression' })),
    onError: random.pick(ON_ERROR),
    deadLettersMax: random.pick([0, 3, 100]),
  }))
}

/** Gives one record as a range of its own, with the offsets before it that have none. */
function pass(fold: FoldSet, record: SourceRecord, first: number): void {
  const { partition, offset, timestampMs } = record
  const key = Buffer.from(record.key ?? '')
  const value = Buffer.from(record.text)
  const counts = fold.beginRange(shardOf(partition), 'page_views', first)
  counts.holes += offset - first
  fold.beginBatch(Buffer.concat([Buffer.from('<'), key, value, Buffer.from('>')]))
  const keyStart = record.key === null ? -1 : 1
  const valueStart = 1 + key.length
  const keyEnd = keyStart < 0 ? -1 : valueStart
  fold.record(offset, timestampMs, keyStart, keyEnd, valueStart, valueStart + value.length, 0, 0)
  fold.endRange(fold.isHalted ? offset : offset + 1, 3, timestampMs)
}

interface Seen {
  halts: number
  mismatches: number
  dead: number
  groups: number
}

function checkRun(seed: number, seen: Seen): void {
  const random = randomOf(seed)
  const fields = randomFields(random)
  const rollups = randomRollups(random, fields)
  const alone = new Map(rollups.map((rollup) => [rollup.rollupId, new IngestFold(rollup)]))
  const next = new Map<number, number>()
  let together = rollups
  let set = new FoldSet(together)
  const seal = (): void => {
    const batches = set.sealAll()
    for (const [index, { rollupId }] of together.entries()) {
      const batch = alone.get(rollupId)?.seal()
      expect(toHex(batches[index]), `rollup ${rollupId}`).toBe(toHex(batch))
      if (batch === undefined) continue
      const { groupCount, ranges } = decodePartialBatch(batch)
      seen.groups += groupCount
      for (const { counts } of ranges) {
        seen.mismatches += counts.kind_mismatch
        seen.dead += counts.dead
      }
    }
  }
  for (const record of randomRecords(random, fields)) {
    const first = next.get(record.partition) ?? 0
    next.set(record.partition, record.offset + 1)
    pass(set, record, first)
    const halted = set.members.map(({ haltedRecord }) => haltedRecord)
    for (const [index, { rollupId }] of together.entries()) {
      const fold = alone.get(rollupId) as IngestFold
      pass(fold, record, first)
      expect(halted[index]).toEqual(fold.haltedRecord)
    }
    const isHalted = halted.some((one) => one !== undefined)
    if (isHalted || random.chance(0.15)) seal()
    if (!isHalted) continue
    seen.halts++
    together = together.filter((_, index) => halted[index] === undefined)
    if (together.length === 0) return
    set = new FoldSet(together)
  }
  seal()
}

test('rollups folded together have the batches that they have alone', () => {
  const options = runOptions()
  const seed = options.seed
  const runs = Math.ceil(options.runs / RUN_SHARE)
  const seen: Seen = { halts: 0, mismatches: 0, dead: 0, groups: 0 }
  for (let run = 0; run < runs; run++) {
    try {
      checkRun(seed + run, seen)
    } catch (error) {
      throw new Error(`repeat with PROPERTY_SEED=${seed + run} PROPERTY_RUNS=1`, { cause: error })
    }
  }
  if (runs > 20) for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10)
}, 120_000)

const member = (sql: string, more: Partial<FoldedRollup> = {}): FoldedRollup => {
  return { rollupId: 1, plan: planOf(sql), onError: 'dead_letter', deadLettersMax: 10, ...more }
}

function foldAll(fold: FoldSet, values: readonly string[], first = 0): number {
  const records = values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: 1_000 }))
  const bytes = new Uint8Array(encodeBatch({ baseOffset: first, records, leaderEpoch: 5 }))
  const counts = fold.beginRange(shardOf(0), 't', first)
  const result = new RecordBatchDecoder().decode({ bytes, aborted: [] }, first, fold, counts)
  fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
  return result.next
}

test('a record that halts one member is taken by the others, and the walk ends there', () => {
  const sums = 'SELECT SUM(v) AS s FROM _input'
  const fold = new FoldSet([
    member('SELECT COUNT(*) AS n FROM _input'),
    member(sums, { rollupId: 2, onError: 'halt' }),
    member(sums, { rollupId: 3 }),
  ])
  expect(foldAll(fold, ['{"v":1}', '{"v":"x"}', '{"v":3}'])).toBe(1)
  expect(fold.members.map(({ haltedRecord }) => haltedRecord?.offset)).toEqual([undefined, 1, undefined])
  const batches = fold.sealAll().map((batch) => decodePartialBatch(batch as ArrayBuffer))
  expect(batches.map(({ ranges }) => at(ranges, 0))).toMatchObject([
    { first: 0, next: 2, counts: { aggregated: 2, dead: 0 } },
    { first: 0, next: 1, counts: { aggregated: 1, dead: 0 } },
    { first: 0, next: 2, counts: { aggregated: 1, dead: 1 } },
  ])
})

test('a mismatch of kinds is counted by each plan that needs its value, and by no other', () => {
  const condition = '(v > 5 AND w IS NOT NULL)'
  const fold = new FoldSet([
    member(`SELECT COUNT(*) AS n FROM _input WHERE ${condition}`),
    member(`SELECT COUNT(*) AS n FROM _input WHERE ok OR ${condition}`, { rollupId: 2 }),
    member('SELECT COUNT(*) AS n FROM _input', { rollupId: 3 }),
    member(`SELECT COUNT(*) FILTER (WHERE ${condition}) AS n FROM _input`, { rollupId: 4 }),
  ])
  foldAll(fold, ['{"v":"x","ok":false}', '{"v":"x","ok":true}', '{"v":9,"w":1,"ok":1}', '{"v":9,"w":1,"ok":true}'])
  const counts = fold.sealAll().map((batch) => at(decodePartialBatch(batch as ArrayBuffer).ranges, 0).counts)
  // ok that is no boolean is one too
  expect(counts.map(({ kind_mismatch }) => kind_mismatch)).toEqual([2, 2, 0, 2])
})

test('a value that fails behind TRY takes back no mismatch that was met before it', () => {
  const counted = 'COUNT(TRY(w::bigint > z)) AS n'
  const rollups = [
    member(`SELECT ${counted} FROM _input WHERE (v > 5) IS NOT TRUE`),
    member(`SELECT ${counted}, COUNT(*) AS m FROM _input`, { rollupId: 2 }),
  ]
  const fold = new FoldSet(rollups)
  foldAll(fold, ['{"v":"x","w":"no number","z":1}'])
  const counts = fold.sealAll().map((batch) => at(decodePartialBatch(batch as ArrayBuffer).ranges, 0).counts)
  expect(counts.map(({ kind_mismatch }) => kind_mismatch)).toEqual([1, 0])
})

test('plans that group alike look a group up once; a batch has the groups of its own plan alone', () => {
  const fold = new FoldSet([
    member('SELECT k, COUNT(*) AS n FROM _input WHERE v > 1 GROUP BY k'),
    member('SELECT k, SUM(v) AS s FROM _input WHERE v < 2 GROUP BY k', { rollupId: 2 }),
    member('SELECT COUNT(*) AS n FROM _input GROUP BY v', { rollupId: 3 }),
  ])
  foldAll(fold, ['{"k":"a","v":1}', '{"k":"b","v":2}', '{"k":"c","v":1.5}'])
  // of the first two plans all three, of the third three
  expect(fold.groupCount).toBe(9)
  const groups = fold.sealAll().map((batch) => {
    const keys: unknown[] = []
    for (const { values } of decodePartialBatch(batch as ArrayBuffer).groups()) keys.push(...values)
    return keys.map((key) => Buffer.from(key as Uint8Array).toString('latin1')).toSorted()
  })
  expect(groups.map((keys) => keys.length)).toEqual([2, 2, 3])
  expect(at(groups, 0)).toEqual([' b\0', ' c\0'])
  expect(at(groups, 1)).toEqual([' a\0', ' c\0'])
})

test('more plans than fit into one function are several over the same fields', () => {
  const sum = (index: number): string => `SELECT k, SUM(v + ${index}) AS s FROM _input WHERE v > ${index} GROUP BY k`
  const rollups = Array.from({ length: 100 }, (_, index) => member(sum(index), { rollupId: index + 1 }))
  const fold = new FoldSet(rollups)
  const values = ['{"k":"a","v":10}', '{"k":"b","v":50.5}', '{"k":"c","v":"x"}']
  foldAll(fold, values)
  for (const [index, batch] of fold.sealAll().entries()) {
    const alone = new IngestFold(at(rollups, index))
    foldAll(alone, values)
    expect(toHex(batch)).toBe(toHex(alone.seal()))
  }
})

test.each(['dead_letter', 'null'] as const)(
  'tables that group by the same values have the groups that each has alone, %s',
  (onError) => {
    const minute = "date_trunc('minute', ts::timestamptz)"
    const statements = [
      `SELECT ${minute} AS m, k, COUNT(*) AS n FROM _input GROUP BY m, k`,
      'SELECT k, COUNT(*) AS n FROM _input WHERE v > 1 GROUP BY k',
      `SELECT k, v, ${minute} AS m, SUM(v) AS s FROM _input GROUP BY k, v, m`,
      'SELECT v, k, COUNT(*) AS n FROM _input WHERE k IS NOT NULL GROUP BY v, k',
      'SELECT o, COUNT(*) AS n FROM _input GROUP BY o',
    ]
    const rollups = statements.map((sql, index) => member(sql, { rollupId: index + 1, onError }))
    const set = new FoldSet(rollups)
    const alone = rollups.map((rollup) => new IngestFold(rollup))
    // texts and other kinds in turn, what no key can hold, and more values than the first tables have room for
    const kinds = ['"a"', '"7"', '7', '7.5', 'null', 'true', '[1,"a"]', '["\\u0000"]', '""', '"\\u00e9"']
    const records = Array.from({ length: 9_000 }, (_, index) => {
      const k = index % 3 === 0 ? `"text ${index % 4_001}"` : kinds[(index * 7) % kinds.length]
      const ts = new Date(1_700_000_000_000 + (index % 5) * 60_000).toISOString()
      return `{"ts":"${index % 11 === 0 ? 'never' : ts}","k":${k},"v":${index % 13},"o":${index % 2}}`
    })
    let first = 0
    for (const values of [records, records.slice(100, 300), records.toReversed()]) {
      const next = foldAll(set, values, first)
      for (const fold of alone) expect(foldAll(fold, values, first)).toBe(next)
      first = next
      for (const [index, batch] of set.sealAll().entries()) {
        expect(decodePartialBatch(batch as ArrayBuffer).groupCount).toBeGreaterThan(1)
        expect(toHex(batch)).toBe(toHex(at(alone, index).seal()))
      }
    }
  },
)
