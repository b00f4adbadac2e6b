/**
 * Owns the compiling of ingest halves into one function that evaluates a record and folds it into the groups of each, without making an object.
 * The order of law 9, for each plan by itself: WHERE, grouping expressions, FILTERs, all arguments, checks; only then is a group found or made
 * and changed, with grouping sets one of each set.
 */
import type { Aggregate } from '../aggregates/aggregate.ts'
import { assert, at } from '../core/assert.ts'
import { KeyWriter } from '../core/key-bytes.ts'
import { RecordPlace } from '../core/record-place.ts'
import { Registers, type CellError } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { findBucketColumn } from '../planner/bucket.ts'
import { aggregateOf } from '../planner/partial-aggregate.ts'
import { valueColumnsOf, type IngestHalf } from '../planner/plan.ts'
import { TALLY } from './fold-exits.ts'
import { FoldGenerator, type GeneratorPlan } from './fold-generator.ts'
import { FAILED } from './fold-outcome.ts'
import { FieldLoader } from './field-loader.ts'
import { GroupingSetKeys } from './grouping-set-keys.ts'
import { GroupKeys } from './group-keys.ts'
import { GroupStates } from './group-states.ts'
import { GroupTable } from './group-table.ts'
import { PairIds } from './pair-ids.ts'
import { type FoldContext, pairsOf } from './plan-code.ts'
import { RecordMetadata } from './record-metadata.ts'
import { StateAccumulator, type SourceGroup } from './source-group.ts'
import { UnnestedRows } from './unnested-rows.ts'
import { ValueIds } from './value-ids.ts'

/** What is folded of one plan. */
export interface CompiledPlan {
  /** Of its groups; plans that group alike share it. */
  readonly table: GroupTable
  readonly states: GroupStates
  readonly aggregates: readonly Aggregate[]
  /** Of the values in a key. */
  readonly groupTypes: readonly ScalarType[]
  /** GROUPING of each grouping set; empty where there is one. */
  readonly groupings: readonly number[]
}

/** A record that a plan couldn't take. */
export interface FoldFailure {
  readonly error: CellError
  readonly context: FoldContext
}

export interface CompiledIngest {
  readonly r: Registers
  readonly fields: FieldLoader
  /** To be filled before each fold; undefined where no statement reads any. */
  readonly metadata: RecordMetadata | undefined
  /** To be filled before each fold. */
  readonly place: RecordPlace
  readonly plans: readonly CompiledPlan[]
  readonly tables: readonly GroupTable[]
  /** What tables find groups by that group by the same values: to be reset with them. */
  readonly indexes: readonly (ValueIds | PairIds)[]
  /** Absent: a record is a row. */
  readonly rows: UnnestedRows | undefined
  /**
   * Evaluates and folds the record that `fields` has read. Of one plan: FOLDED, FILTERED or FAILED. Several add to `tally` what became of the
   * record, by plan (fold-exits.ts).
   */
  readonly fold: () => number
  readonly tally: Float64Array
  /** Of the last record, one for each plan that failed; whoever has read them empties the list. */
  readonly failures: FoldFailure[]
  /** Of places in the statements. */
  readonly contexts: readonly FoldContext[]
  /** The text of `fold`, for people. */
  readonly source: string
}

export interface CompileOptions {
  /** Below 128 for tests of groups that share an id. */
  readonly idBits?: number | undefined
  /** The rollup whose groups are folded instead of records, and the numbers of the partials among its. */
  readonly source?: { readonly group: SourceGroup; readonly partials: readonly number[] }
}

/** Plans that read rows of records, or another rollup's groups, are compiled alone. */
export function canShareFold({ unnest }: IngestHalf): boolean {
  return unnest === undefined
}

const NAMES = [
  'r',
  'fields',
  'meta',
  'v',
  'a',
  'keys',
  'tables',
  'sets',
  'states',
  'tally',
  'failWith',
  'source',
  'elements',
  'rows',
  'values',
  'pairs',
]

/** Cost: some 0.1 ms a plan; the engine compiles the function as it gets hot. */
export function compileIngest(plans: readonly GeneratorPlan[], options: CompileOptions = {}): CompiledIngest {
  const { source: from } = options
  assert(
    plans.length === 1 || (from === undefined && plans.every(({ half }) => canShareFold(half))),
    'rows of a record and groups are folded for one plan',
  )
  const generator = new FoldGenerator(plans, from !== undefined)
  const source = generator.generate()
  const { names, contexts } = generator
  const r = new Registers(names.registerCount)
  names.loadLiterals(r)
  const fields = new FieldLoader(names.fields, r)
  const elements = new FieldLoader(names.elementFields, r)
  const metadata = new RecordMetadata()
  const place = new RecordPlace(plans.some(({ half }) => half.unnest !== undefined))
  const aggregates = plans.map(({ half }) => half.partials.map(aggregateOf))
  const states = aggregates.map((own, plan) => createStates(own, at(generator.plans, plan).orders, place, from))
  const tables = createTables(plans, generator, states, options.idBits)
  const values = Array.from({ length: 1 + Math.max(-1, ...generator.values.flat()) }, () => new ValueIds())
  const pairs = generator.values.map((own) =>
    own.length === 0 ? [] : Array.from({ length: pairsOf(own.length) }, () => new PairIds()),
  )
  const failures: FoldFailure[] = []
  const fail = (error: CellError, context: number): number => {
    failures.push({ error, context: at(contexts, context) })
    return FAILED
  }
  const rows = createRows(at(plans, 0), at(generator.plans, 0), { fields, elements, metadata, place, fail })
  const tally = new Float64Array(plans.length * TALLY.size)
  // The text holds only numbers and names made here; whatever the statement says comes in as values.
  // oxlint-disable-next-line typescript/no-implied-eval
  const create = new Function(...NAMES, source) as (...values: unknown[]) => () => number
  const fold = create(
    r,
    fields,
    metadata,
    names.values,
    states.flatMap(({ accumulators }) => accumulators),
    tables.map(() => new KeyWriter()),
    tables,
    createSets(plans, generator),
    states,
    tally,
    fail,
    from?.group,
    elements,
    rows,
    values,
    pairs,
  )
  return {
    r,
    fields,
    metadata: names.usesMetadata ? metadata : undefined,
    place,
    plans: plans.map(({ half }, plan) => ({
      table: at(tables, at(generator.tables, plan)),
      states: at(states, plan),
      aggregates: at(aggregates, plan),
      groupTypes: valueColumnsOf(half).map(({ type }) => type),
      groupings: (half.groupingSets ?? []).map(({ grouping }) => grouping),
    })),
    tables,
    indexes: [...values, ...pairs.flat()],
    rows,
    fold,
    tally,
    failures,
    contexts,
    source,
  }
}

function createStates(
  aggregates: readonly Aggregate[],
  orders: FoldGenerator['plans'][number]['orders'],
  place: RecordPlace,
  from: CompileOptions['source'],
): GroupStates {
  const accumulators = aggregates.map((aggregate, index) =>
    from === undefined
      ? aggregate.createAccumulator({ place, order: orders[index] ?? [], bounds: 'state' })
      : new StateAccumulator(aggregate, from.group, at(from.partials, index)),
  )
  return new GroupStates(
    accumulators,
    aggregates.reduce((sum, { columns }) => sum + columns.length, 0),
  )
}

/** By their numbers in the text. */
function createTables(
  plans: readonly GeneratorPlan[],
  generator: FoldGenerator,
  states: readonly GroupStates[],
  idBits = 128,
): GroupTable[] {
  return numbersOf(generator).map((table) => {
    const plan = generator.tables.indexOf(table)
    const bucketColumn = findBucketColumn(at(plans, plan).half.groupBy)
    const bucketRegister = at(generator.plans, plan).groupRegisters[bucketColumn] ?? -1
    const own = states.filter((_, index) => generator.tables[index] === table)
    return new GroupTable(new GroupKeys(idBits), bucketRegister, own)
  })
}

function createSets(plans: readonly GeneratorPlan[], generator: FoldGenerator): GroupingSetKeys[] {
  return numbersOf(generator).map((table) => {
    const { half } = at(plans, generator.tables.indexOf(table))
    const columns = valueColumnsOf(half)
    return new GroupingSetKeys(half.groupingSets ?? [], columns.length, findBucketColumn(columns))
  })
}

function numbersOf({ tables }: FoldGenerator): number[] {
  return [...new Set(tables)]
}

interface RowParts {
  readonly fields: FieldLoader
  readonly elements: FieldLoader
  readonly metadata: RecordMetadata
  readonly place: RecordPlace
  readonly fail: (error: CellError, context: number) => number
}

function createRows(
  { half, onError }: GeneratorPlan,
  { arrayField, arrayContext }: FoldGenerator['plans'][number],
  { fail, ...parts }: RowParts,
): UnnestedRows | undefined {
  if (half.unnest === undefined) return undefined
  return new UnnestedRows({
    ...parts,
    plan: half.unnest,
    arrayField,
    failingIsNull: onError === 'null',
    fail: (error) => fail(error, arrayContext),
  })
}
