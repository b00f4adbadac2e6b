/** The laws of merging (law 5) for every aggregate and type of argument, and that SQLite merges as JavaScript does. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AGGREGATES } from '../../src/aggregates/aggregate-table.ts'
import type { Aggregate, AggregateDefinition, StateValue } from '../../src/aggregates/aggregate.ts'
import { Registers } from '../../src/core/registers.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { TIMESTAMP_MAX, TIMESTAMP_MIN } from '../../src/core/timestamp-calendar.ts'
import { finish, inputOf, setValue, stateOf, type Arguments, type Value } from './fold-values.ts'
import { anyDouble, anyInteger, int64, text } from './number-values.ts'

const RUNS = Number(process.env['ROLLUPD_LAW_RUNS'] ?? 150)

const decimal = fc.record({ unscaled: fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), scale: fc.nat(20) })
const micros = fc.bigInt({ min: TIMESTAMP_MIN, max: TIMESTAMP_MAX }).map((value): Value => ({ micros: value }))
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const interval = fc.record({ months: int32, days: int32, microseconds: int64 })
const VALUES: Partial<Record<ScalarType, fc.Arbitrary<Value>>> = {
  boolean: fc.boolean(),
  bigint: int64,
  'double precision': anyDouble,
  number: fc.oneof(anyInteger, anyDouble, decimal),
  text,
  timestamptz: micros,
  interval,
}
const numbers = fc.oneof(anyInteger, anyDouble)
/** A parameter, for those that have one: a fraction, a separator. */
const PARAMETER = 0.6
const kinds = fc.oneof(numbers, text, fc.boolean())

/** Keys that meet. */
const fewTexts = fc.constantFrom('', 'a', 'b', 'ä', 'aa')

const integralDoubles = fc.integer().map((value): Value => value)
const anyNumber = fc.oneof(numbers, decimal)
const bits = fc.oneof(int64, integralDoubles)
/** What those take that don't take every kind. */
const UNDECLARED: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  ...each(
    ['sum', 'avg', 'approx_percentile', 'stddev', 'stddev_samp', 'stddev_pop', 'variance', 'var_samp', 'var_pop'],
    anyNumber,
  ),
  ...each(['covar_pop', 'covar_samp', 'corr', 'regr_count', 'regr_avgx', 'regr_avgy'], anyNumber),
  ...each(['regr_sxx', 'regr_syy', 'regr_sxy', 'regr_slope', 'regr_intercept', 'regr_r2'], anyNumber),
  ...each(['bool_and', 'bool_or', 'every'], fc.boolean()),
  ...each(['bit_and', 'bit_or', 'bit_xor'], bits),
  ...each(['percentile_cont', 'median'], anyNumber),
  string_agg: text,
}

function each(names: readonly string[], values: fc.Arbitrary<Value>): Record<string, fc.Arbitrary<Value>> {
  return Object.fromEntries(names.map((name) => [name, values]))
}

interface Subject {
  readonly title: string
  readonly aggregate: Aggregate
  readonly values: fc.Arbitrary<Arguments[]>
}

/** Other names of what is tested by its first one. */
const ALIASES = new Set(['json_agg', 'jsonb_agg', 'json_object_agg', 'jsonb_object_agg'])

function* subjects(): Generator<Subject> {
  for (const definition of AGGREGATES) {
    if (ALIASES.has(definition.name)) continue
    const undeclared = UNDECLARED[definition.name] ?? kinds
    yield* subjectOf(definition, ['any'], [undeclared])
    yield* subjectOf(definition, ['any', 'any'], [undeclared, undeclared])
    yield* subjectOf(definition, ['text', 'any'], [fewTexts, kinds])
    for (const [type, values] of Object.entries(VALUES) as [ScalarType, fc.Arbitrary<Value>][]) {
      yield* subjectOf(definition, [type], [values])
      yield* subjectOf(definition, [type, type], [values, values])
    }
  }
}

/** None where the aggregate doesn't take such arguments. */
function* subjectOf(
  definition: AggregateDefinition,
  types: readonly ScalarType[],
  [first, second]: readonly [fc.Arbitrary<Value>, fc.Arbitrary<Value>?],
): Generator<Subject> {
  const aggregate = definition.resolve(types)
  if (aggregate === undefined) return
  const name = definition.form === 'distinct' ? `${definition.name} distinct` : definition.name
  const taken = second === undefined ? first.filter((value) => isTaken(aggregate, value)) : first
  const one = definition.casts === undefined ? orNull(taken) : taken
  const row = second === undefined ? one : fc.tuple(one, orNull(second))
  yield { title: `${name}(${types.join(', ')})`, aggregate, values: fc.array<Arguments>(row, { maxLength: 12 }) }
}

function orNull(values: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) })
}

/** Integers beyond doubles are no values of a percentile. */
function isTaken(aggregate: Aggregate, value: Value): boolean {
  const r = new Registers(1)
  setValue(r, 0, value)
  return aggregate.createAccumulator(inputOf()).check(r, 0, -1)?.code !== 'number_out_of_range'
}

/** Cells compared by kind and bytes. */
function shown(state: readonly StateValue[]): string {
  return state
    .map((value) =>
      value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : `${typeof value} ${value}`,
    )
    .join(', ')
}

type State = StateValue[]

/** A value of a record. */
interface Placed {
  readonly value: Arguments
  readonly offset: number
}

/** The values of one part of the records, each at an offset of its own. */
function placed(values: readonly Arguments[], part: number): Placed[] {
  return values.map((value, index) => ({ value, offset: 100 * part + index }))
}

function stateOfPlaced(aggregate: Aggregate, records: readonly Placed[]): State {
  return stateOf(
    aggregate,
    records.map(({ value }) => value),
    records.map(({ offset }) => offset),
  )
}

for (const { title, aggregate, values } of subjects()) {
  test(`${title}: any order and any split give the same state`, () => {
    fc.assert(
      fc.property(
        values,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.nat(12),
        (list, keys, cut) => {
          const shuffled = list
            .map((value, offset) => ({ value, offset, key: keys.next().value }))
            .toSorted((a, b) => a.key - b.key)
          const whole = stateOf(aggregate, list)
          expect(shown(stateOfPlaced(aggregate, shuffled))).toBe(shown(whole))
          const left = stateOfPlaced(aggregate, shuffled.slice(0, cut))
          const right = stateOfPlaced(aggregate, shuffled.slice(cut))
          expect(shown(aggregate.merge(left, right))).toBe(shown(whole))
          expect(shown(aggregate.merge(right, left))).toBe(shown(whole))
        },
      ),
      { numRuns: RUNS },
    )
  })

  test(`${title}: merging is associative and has its identity`, () => {
    fc.assert(
      fc.property(values, values, values, (...lists) => {
        const [a, b, c] = lists.map((list, part) => placed(list, part)) as [Placed[], Placed[], Placed[]]
        const [x, y, z] = [a, b, c].map((list) => stateOfPlaced(aggregate, list)) as [State, State, State]
        const left = aggregate.merge(aggregate.merge(x, y), z)
        expect(shown(aggregate.merge(x, aggregate.merge(y, z)))).toBe(shown(left))
        expect(shown(aggregate.merge(x, aggregate.identity()))).toBe(shown(x))
        expect(shown(aggregate.merge(aggregate.identity(), x))).toBe(shown(x))
        expect(finish(aggregate, left, PARAMETER)).toEqual(
          finish(aggregate, stateOfPlaced(aggregate, [...c, ...a, ...b]), PARAMETER),
        )
      }),
      { numRuns: RUNS },
    )
  })

  test(`${title}: SQLite merges as merge() does wherever the guard holds`, () => {
    const merger = new SqlMerger(aggregate)
    let guarded = 0
    const pairs = fc.tuple(values, values)
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [x, y] = [a, b].map((list, part) => stateOfPlaced(aggregate, placed(list, part))) as [State, State]
        const merged = merger.merge(x, y)
        if (merged === undefined) return
        guarded++
        expect(shown(merged)).toBe(shown(aggregate.merge(x, y)))
      }),
      // of wide numbers few pairs meet the guard; one that surely does
      { numRuns: RUNS, examples: [[[[], []]]] },
    )
    expect(guarded).toBeGreaterThan(0)
  })
}

function isSubtractable(
  subject: Subject,
): subject is Subject & { readonly aggregate: Required<Pick<Aggregate, 'subtract'>> } {
  return subject.aggregate.subtract !== undefined
}

for (const { title, aggregate, values } of [...subjects()].filter(isSubtractable)) {
  test(`${title}: what is added and subtracted again leaves no trace`, () => {
    fc.assert(
      fc.property(values, values, fc.nat(12), (before, batch, cut) => {
        const state = stateOf(aggregate, before)
        const parts = [stateOf(aggregate, batch.slice(0, cut)), stateOf(aggregate, batch.slice(cut))]
        const whole = parts.reduce((sum, part) => aggregate.merge(sum, part), state)
        expect(shown(aggregate.subtract(whole, stateOf(aggregate, batch)))).toBe(shown(state))
        // part by part, the first one first
        expect(shown(parts.reduce((rest, part) => aggregate.subtract(rest, part), whole))).toBe(shown(state))
        expect(shown(aggregate.subtract(whole, whole))).toBe(shown(aggregate.identity()))
        expect(shown(aggregate.subtract(state, aggregate.identity()))).toBe(shown(state))
      }),
      { numRuns: RUNS },
    )
  })
}

/** A table as the leaf makes one, and its upsert. */
class SqlMerger {
  readonly #database = new Database(':memory:')
  readonly #upsert: Database.Statement
  readonly #select: Database.Statement<unknown[], unknown[]>

  constructor(aggregate: Aggregate) {
    const { columns } = aggregate
    const names = columns.map((_, index) => `c${index}`)
    const declared = columns.map(({ storage }, index) => `c${index} ${storage}`)
    this.#database.exec(`CREATE TABLE g (id INTEGER PRIMARY KEY, ${declared.join(', ')}) WITHOUT ROWID`)
    const stored = (index: number): string => `g.c${index}`
    const added = (index: number): string => `excluded.c${index}`
    const sets = aggregate.mergeSql(stored, added).map((merged, index) => `c${index} = ${merged}`)
    this.#upsert = this.#database.prepare(
      `INSERT INTO g VALUES (1, ${names.map(() => '?').join(', ')}) ON CONFLICT (id) DO UPDATE SET ${sets.join(', ')}` +
        ` WHERE ${aggregate.mergeGuard?.(stored, added) ?? 'true'}`,
    )
    this.#select = this.#database
      .prepare<unknown[], unknown[]>(`SELECT ${names.join(', ')} FROM g`)
      .raw(true)
      .safeIntegers(true)
  }

  /** The merged state; undefined where the guard doesn't hold. */
  merge(left: readonly StateValue[], right: readonly StateValue[]): StateValue[] | undefined {
    this.#database.exec('DELETE FROM g')
    this.#upsert.run(...left)
    if (this.#upsert.run(...right).changes === 0) return undefined
    return (this.#select.get() ?? []).map((value) => {
      if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
      return value as StateValue
    })
  }
}
