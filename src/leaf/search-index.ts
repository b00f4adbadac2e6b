/**
 * Owns which columns of a rollup's groups are indexed beside the primary key (bucket, id): a default over the leading grouping
 * columns, and what the rollup's option `indexes` asks for. Pure.
 */
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { RollupPlan } from '../planner/plan.ts'
import type { LeafSchema } from './leaf-schema.ts'

/** Each index costs every new group one more row to write. */
const INDEXES_MAX = 8
const INDEX_COLUMNS_MAX = 4

/**
 * Leaf columns of each index of the rollup, the default one first. Errors: bad_parameter naming the column that can't be indexed.
 */
export function resolveIndexes(
  schema: LeafSchema,
  plan: RollupPlan,
  option: readonly (readonly string[])[],
): string[][] {
  if (option.length > INDEXES_MAX) {
    throw new RollupdError('bad_parameter', `${option.length} indexes are more than ${INDEXES_MAX}`)
  }
  const indexes = [...defaultIndex(schema), ...option.map((names) => resolveIndex(schema, plan, names))]
  const seen = new Set<string>()
  return indexes.filter((columns) => {
    const key = columns.join()
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/**
 * An index ends with the primary key by itself. So with a time among the grouping columns, an index over the first other one serves
 * `country = 'US'` and, within it, a range of time; without a time, the first two serve both `country = 'US'` and both together.
 */
function defaultIndex(schema: LeafSchema): string[][] {
  const names = schema.groupColumns.filter((_, index) => index !== schema.bucketGroup).map(({ name }) => name)
  if (names.length === 0) return []
  return [names.slice(0, schema.bucketGroup === -1 ? 2 : 1)]
}

function resolveIndex(schema: LeafSchema, plan: RollupPlan, names: readonly string[]): string[] {
  if (names.length === 0 || names.length > INDEX_COLUMNS_MAX) {
    throw new RollupdError('bad_parameter', `an index of ${names.length} columns is not possible`, {
      hint: `Give 1 to ${INDEX_COLUMNS_MAX} columns.`,
    })
  }
  const columns = names.map((name) => resolveColumn(schema, plan, name))
  if (new Set(columns).size < columns.length) {
    throw new RollupdError('bad_parameter', `index ${JSON.stringify(names)} names a column twice`)
  }
  return columns
}

function resolveColumn(schema: LeafSchema, plan: RollupPlan, name: string): string {
  const output = plan.wrap.outputs.find((candidate) => candidate.name === name)
  if (output === undefined) {
    throw new RollupdError('bad_parameter', `column ${JSON.stringify(name)} of an index does not exist`, {
      hint: `Columns are ${plan.wrap.outputs.map((known) => known.name).join(', ')}.`,
    })
  }
  const { expression } = output
  if (expression.kind === 'group') return at(schema.groupColumns, expression.index).name
  if (expression.kind === 'partial' && expression.finalizer === undefined) {
    const partial = at(schema.partials, expression.index)
    const { finishedColumn } = partial.aggregate
    if (finishedColumn !== undefined) {
      const column = partial.columns[finishedColumn]
      assert(column !== undefined, 'a finished column is one of the state columns')
      return column.name
    }
  }
  throw new RollupdError(
    'bad_parameter',
    `column ${JSON.stringify(name)} can't be indexed: it is computed when it is read`,
    {
      hint: 'Grouping columns and aggregates such as COUNT can be indexed.',
    },
  )
}
