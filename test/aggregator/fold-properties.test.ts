/** The compiled fold against a naive evaluation, and that no split of records changes a group (law 5). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import { aggregateOf } from '../../src/planner/partial-aggregate.ts'
import { readKeyInto } from '../../src/core/key-reader.ts'
import { Registers, TAG } from '../../src/core/registers.ts'
import { zeroCounts } from '../../src/core/shard.ts'
import type { RollupPlan } from '../../src/planner/plan.ts'
import { parseJsonValue } from '../support/json-value.ts'
import { readRegister } from '../aggregates/fold-values.ts'
import { createFold, finishGroup, passRecords, takeBatch, type FoldedGroup } from './fold-records.ts'
import { planOf } from '../support/plan-of.ts'
import { foldNaively, NAIVE_SQL, toKeyName, type NaiveGroup, type NaiveRecord } from './naive-rollup.ts'

const RUNS = Number(process.env['ROLLUPD_FOLD_RUNS'] ?? 150)

const number = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.constantFrom('1.5', '3.0', '30e-1', '0.1', '1e300', '1e400', '-0', '9007199254740993', '18446744073709551616'),
)
const string = fc.oneof(
  fc.constantFrom('"a"', '"b"', '""', '"\\u0061"', '"3"', '"\\ud83d"', '"\\u0000"', '"é"'),
  fc.string({ maxLength: 3 }).map((text) => JSON.stringify(text)),
)
const scalar = fc.oneof(
  { weight: 6, arbitrary: number },
  { weight: 3, arbitrary: string },
  fc.constantFrom('true', 'null'),
)
// inside arrays and objects a key takes numbers exactly, the oracle as doubles
const nested = scalar.filter((text) => !text.startsWith('1e'))
const value = fc.oneof(
  { weight: 12, arbitrary: scalar },
  fc.array(nested, { maxLength: 2 }).map((items) => `[${items.join(',')}]`),
  fc
    .array(nested, { maxLength: 2 })
    .map((items) => `{${items.map((item, index) => `"k${index}":${item}`).join(', ')}}`),
)
const group = fc.constantFrom(
  '1',
  '1.0',
  '"1"',
  '"x"',
  '"\\u0078"',
  'true',
  'null',
  '[1, 2]',
  '{"a":1,"b":2}',
  '{"b":2,"a":1}',
)
const members = fc
  .record(
    {
      g: fc.oneof({ weight: 3, arbitrary: group }, value),
      h: group,
      v: value,
      ok: fc.constantFrom('true', 'true', 'false', 'null', '1'),
      skip: fc.constantFrom('1', '7', 'null', '"x"', '4.99'),
      other: value,
    },
    { requiredKeys: [] },
  )
  .map((fields): NaiveRecord => {
    const entries = Object.entries(fields)
    return { text: `{${entries.map(([name, text]) => `"${name}": ${text}`).join(', ')}}`, members: new Map(entries) }
  })
const record = fc.oneof(
  { weight: 30, arbitrary: members },
  fc.constantFrom('', '[]', '5', '{"g":', '{"v":01}', '{"g" "x"}').map((text) => ({ text, members: undefined })),
)

test('groups, counts and finished values are those of a naive evaluation', () => {
  const plan = planOf(NAIVE_SQL)
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), (records) => {
      const fold = createFold(plan)
      passRecords(
        fold,
        records.map(({ text }) => text),
      )
      const { groups, ranges } = takeBatch(fold)
      const { groups: expected, ...totals } = foldNaively(records)
      expect(ranges[0]?.counts ?? zeroCounts()).toMatchObject(totals)
      const found = new Map(groups.map((it) => [nameOf(it), it]))
      expect([...found.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
      for (const [name, naive] of expected) checkGroup(plan, found.get(name)!, naive)
    }),
    { numRuns: RUNS },
  )
})

function nameOf({ key }: FoldedGroup): string {
  const r = new Registers(1)
  readKeyInto(Buffer.from(key, 'hex'), 1, r, 0)
  if (r.tag[0] !== TAG.JSON) return toKeyName(readRegister(r, 0))
  const bytes = r.bytesOf(0)
  return toKeyName(parseJsonValue(bytes, 0, bytes.length))
}

function checkGroup(plan: RollupPlan, { states, records }: FoldedGroup, naive: NaiveGroup): void {
  const [n, c, sum, max] = finishGroup(plan, states)
  expect([records, n, c]).toEqual([naive.records, BigInt(naive.records), BigInt(naive.count)])
  const { integers, doubles, seen } = naive
  const total = integers.reduce((a, b) => a + b, 0n)
  if (doubles.length === 0) expect(sum).toBe(integers.length === 0 ? null : total)
  // exact sums are tested by themselves; here it is which values were taken
  else if (typeof sum === 'number') {
    const plain = doubles.reduce((a, b) => a + b, Number(total))
    expect(Math.abs(sum - plain)).toBeLessThanOrEqual(1e-9 * doubles.reduce((a, b) => a + Math.abs(b), 1e19))
  } else expect(sum).toEqual({ error: 'sum_out_of_range' })
  const kinds = new Set(seen.map((it) => (typeof it === 'bigint' ? 'number' : typeof it)))
  if (kinds.size === 0) expect(max).toBe(null)
  else if (kinds.size > 1) expect(max).toEqual({ error: 'mixed_kinds' })
  else {
    const least = seen[0] as string
    const greatest = seen.reduce<unknown>((a, b) => (isLess(a, b) ? b : a), least)
    expect(toKeyName(max)).toBe(toKeyName(greatest))
  }
}

function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string)) < 0
  return (a as number) < (b as number)
}

const SPLIT_SQL = `SELECT k, date_trunc('hour', ts::timestamptz) AS hour, COUNT(*) AS n, SUM(v) AS s, AVG(v) AS a, MIN(v) AS lo,
  MAX(w) AS hi, APPROX_DISTINCT(w) AS d, COUNT(v) FILTER (WHERE ok) AS c, SUM(v::bigint) AS i FROM _input GROUP BY k, hour`
const time = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 59 }), fc.constantFrom('', '.5', '.123456'))
  .map(([hour, second, digits]) => `"2025-11-30T0${hour}:30:${String(second).padStart(2, '0')}${digits}Z"`)
const splitRecord = fc
  .record({
    k: fc.constantFrom('1', '"a"', 'null'),
    ts: time,
    v: number,
    w: value,
    ok: fc.constantFrom('true', 'false'),
  })
  .map(
    (fields) =>
      `{${Object.entries(fields)
        .map(([name, text]) => `"${name}":${text}`)
        .join(',')}}`,
  )

test('any split into batches, merged in any order: the same groups and state bytes', () => {
  const plan = planOf(SPLIT_SQL)
  fc.assert(
    fc.property(
      fc.array(splitRecord, { minLength: 1, maxLength: 25 }),
      fc.array(fc.nat(25), { maxLength: 4 }),
      fc.boolean(),
      (records, cuts, reversed) => {
        const whole = createFold(plan)
        passRecords(whole, records)
        const borders = [0, ...cuts.filter((cut) => cut < records.length).toSorted((a, b) => a - b), records.length]
        const parted = createFold(plan)
        const batches = borders.slice(1).map((end, index) => {
          const first = borders[index]!
          if (end > first) passRecords(parted, records.slice(first, end), { first })
          return takeBatch(parted).groups
        })
        const merged = mergeBatches(plan, reversed ? batches.toReversed() : batches)
        expect(merged).toEqual(new Map(takeBatch(whole).groups.map((it) => [it.key, it])))
      },
    ),
    { numRuns: RUNS },
  )
})

function mergeBatches(plan: RollupPlan, batches: readonly (readonly FoldedGroup[])[]): Map<string, FoldedGroup> {
  const merged = new Map<string, FoldedGroup>()
  for (const added of batches.flat()) {
    const stored = merged.get(added.key)
    const states = stored === undefined ? added.states : mergeStates(plan, stored.states, added.states)
    merged.set(added.key, { ...added, states, records: added.records + (stored?.records ?? 0) })
  }
  return merged
}

function mergeStates(plan: RollupPlan, left: readonly StateValue[], right: readonly StateValue[]): StateValue[] {
  let from = 0
  return plan.ingest.partials.flatMap((partial) => {
    const aggregate = aggregateOf(partial)
    const end = from + aggregate.columns.length
    const merged = aggregate.merge(left.slice(from, end), right.slice(from, end))
    from = end
    return merged
  })
}
