/**
 * Owns the compiling of an ingest half into one function that evaluates a record and folds it, without making an object.
 * The order of law 9: WHERE, grouping expressions, FILTERs, all arguments, checks; only then is a group found or made and changed, with
 * grouping sets one of each set.
 */
import type { Aggregate } from '../aggregates/aggregate.ts'
import { at } from '../core/assert.ts'
import { KeyWriter } from '../core/key-bytes.ts'
import type { OnError } from '../core/policy.ts'
import { RecordPlace } from '../core/record-place.ts'
import { Registers, type CellError } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { findBucketColumn } from '../planner/bucket.ts'
import { aggregateOf } from '../planner/partial-aggregate.ts'
import { valueColumnsOf, type IngestHalf } from '../planner/plan.ts'
import { FoldGenerator } from './fold-generator.ts'
import { FAILED } from './fold-outcome.ts'
import { FieldLoader } from './field-loader.ts'
import { GroupingSetKeys } from './grouping-set-keys.ts'
import { GroupStates } from './group-states.ts'
import { GroupKeys } from './group-keys.ts'
import { StateAccumulator, type SourceGroup } from './source-group.ts'
import { UnnestedRows } from './unnested-rows.ts'
import { RecordMetadata } from './record-metadata.ts'

export interface CompiledIngest {
  readonly r: Registers
  readonly fields: FieldLoader
  /** To be filled before each fold; undefined where the statement reads none. */
  readonly metadata: RecordMetadata | undefined
  /** To be filled before each fold. */
  readonly place: RecordPlace
  readonly groupKeys: GroupKeys
  readonly states: GroupStates
  readonly aggregates: readonly Aggregate[]
  /** Absent: a record is a row. */
  readonly rows: UnnestedRows | undefined
  /** Of the values in a key. */
  readonly groupTypes: readonly ScalarType[]
  /** GROUPING of each grouping set; empty where there is one. */
  readonly groupings: readonly number[]
  /** Evaluates and folds the record that `fields` has read; FOLDED, FILTERED or FAILED. */
  readonly fold: () => number
  /** Of the last FAILED record: where in the statement, with the 1-based character or 0, and what. */
  readonly failure: { error: CellError; context: string; position: number }
  /** Of places in the statement: how messages begin, and its 1-based character or 0. */
  readonly contexts: readonly { readonly text: string; readonly position: number }[]
  /** The text of `fold`, for people. */
  readonly source: string
}

export interface CompileOptions {
  /** Below 128 for tests of groups that share an id. */
  readonly idBits?: number | undefined
  /** The rollup whose groups are folded instead of records, and the numbers of the partials among its. */
  readonly source?: { readonly group: SourceGroup; readonly partials: readonly number[] }
}

/** Cost: some 0.1 ms; the engine compiles the function as it gets hot. */
export function compileIngest(half: IngestHalf, onError: OnError, options: CompileOptions = {}): CompiledIngest {
  const { idBits = 128, source: from } = options
  const aggregates = half.partials.map(aggregateOf)
  const generator = new FoldGenerator(half, onError === 'null', from !== undefined)
  const source = generator.generate()
  const { contexts, groupRegisters, orders } = generator
  const codeNames = generator.code.names
  const r = new Registers(codeNames.registerCount)
  codeNames.loadLiterals(r)
  const fields = new FieldLoader(codeNames.fields, r)
  const elements = new FieldLoader(codeNames.elementFields, r)
  const metadata = new RecordMetadata()
  const groupKeys = new GroupKeys(idBits)
  const place = new RecordPlace(half.unnest !== undefined)
  const accumulators = aggregates.map((aggregate, index) =>
    from === undefined
      ? aggregate.createAccumulator({ place, order: orders[index] ?? [], bounds: 'state' })
      : new StateAccumulator(aggregate, from.group, at(from.partials, index)),
  )
  const states = new GroupStates(
    groupKeys,
    accumulators,
    aggregates.reduce((sum, { columns }) => sum + columns.length, 0),
    groupRegisters[findBucketColumn(half.groupBy)] ?? -1,
  )
  const failure: CompiledIngest['failure'] = { error: { code: 'wrong_kind', message: '' }, context: '', position: 0 }
  const fail = (error: CellError, context: number): number => {
    failure.error = error
    failure.context = contexts[context]?.text ?? ''
    failure.position = contexts[context]?.position ?? 0
    return FAILED
  }
  const columns = valueColumnsOf(half)
  const sets = new GroupingSetKeys(half.groupingSets ?? [], columns.length, findBucketColumn(columns))
  const names = [
    'r',
    'fields',
    'meta',
    'v',
    'a',
    'key',
    'sets',
    'groupKeys',
    'states',
    'failWith',
    'source',
    'elements',
    'rows',
  ]
  // The text holds only numbers and names made here; whatever the statement says comes in as values.
  // oxlint-disable-next-line typescript/no-implied-eval
  const create = new Function(...names, source) as (...values: unknown[]) => () => number
  const key = new KeyWriter()
  const rows =
    half.unnest === undefined
      ? undefined
      : new UnnestedRows({
          plan: half.unnest,
          fields,
          arrayField: generator.arrayField,
          elements,
          metadata,
          place,
          failingIsNull: onError === 'null',
          fail: (error) => fail(error, generator.arrayContext),
        })
  const parts = [r, fields, metadata, codeNames.values, accumulators, key, sets, groupKeys, states, fail, from?.group]
  const fold = create(...parts, elements, rows)
  return {
    r,
    fields,
    metadata: codeNames.usesMetadata ? metadata : undefined,
    place,
    rows,
    groupKeys,
    states,
    aggregates,
    groupTypes: columns.map(({ type }) => type),
    groupings: (half.groupingSets ?? []).map(({ grouping }) => grouping),
    fold,
    failure,
    contexts,
    source,
  }
}
