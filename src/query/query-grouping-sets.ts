/**
 * Owns GROUPING SETS, ROLLUP and CUBE of a query, which SQLite lacks: each row stands once for each set, and a grouping expression is NULL
 * where the row's set doesn't have it. Aggregates, HAVING, windows and MEASURE then need to know nothing of sets.
 */
import { at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { expandGroupingSets, groupingBits, type ColumnSet } from '../planner/grouping-sets.ts'
import type { SqlFragment } from '../sql/expression.ts'
import type { GroupingFunc, Node, SelectStmt } from '../sql/parse-statement.ts'
import { unsupported } from '../sql/unsupported.ts'
import type { CompileContext } from './compile-context.ts'
import type { GroupItem, Grouping } from './scope-parts.ts'

/** As PostgreSQL's: the result has a bit for each. */
const GROUPING_ARGUMENTS_MAX = 31

/** The numbers of the sets as a table, for FROM. */
export interface GroupingSets {
  /** Behind the rows of FROM. */
  readonly joinText: string
  /** What FROM is where the statement has none. */
  readonly tableText: string
  /** The number of the row's set. */
  readonly numberText: string
  readonly sets: readonly ColumnSet[]
  /** Sets of no expression, each of which has a group although there is no row. */
  readonly emptyCount: number
}

export interface ExpandedGroups {
  readonly items: readonly GroupItem[]
  /** Undefined: one set, of all items. */
  readonly sets: GroupingSets | undefined
}

/** `toItem` analyses one grouping expression. Errors: sql_unsupported for too many sets. */
export function expandGroups(
  { groupClause = [], groupDistinct }: SelectStmt,
  toItem: (node: Node) => GroupItem,
  context: CompileContext,
): ExpandedGroups {
  const items: GroupItem[] = []
  const indexOf = (node: Node): number => {
    const item = toItem(node)
    const known = items.findIndex(({ value }) => value === item.value)
    return known < 0 ? items.push(item) - 1 : known
  }
  const tooMany = (count: number): RollupdError =>
    unsupported(
      `GROUP BY makes ${count} grouping sets, more than are allowed`,
      context.positionWithin(groupClause),
      'Write the sets that are needed.',
    )
  const sets = expandGroupingSets(groupClause, { indexOf, tooMany, isDistinct: groupDistinct === true })
  if (sets.length === 1) return { items: at(sets, 0).map((index) => at(items, index)), sets: undefined }
  const alias = context.newAlias('s')
  const tableText = `(VALUES ${sets.map((_, number) => `(${number})`).join(', ')}) AS ${alias}`
  const numberText = `${alias}.column1`
  const table: GroupingSets = {
    joinText: ` JOIN ${tableText}`,
    tableText,
    numberText,
    sets,
    emptyCount: sets.filter((set) => set.length === 0).length,
  }
  return { items: items.map((item, index) => inSets(item, index, table, context)), sets: table }
}

/** NULL in the sets that lack it. */
function inSets(
  item: GroupItem,
  index: number,
  { sets, numberText }: GroupingSets,
  context: CompileContext,
): GroupItem {
  const having = sets.flatMap((set, number) => (set.includes(index) ? [number] : []))
  const { type, position } = item.expression
  const text = context.printer.print(item.expression)
  const sql = `CASE WHEN ${numberText} IN (${having.join(', ')}) THEN ${text} END`
  return { ...item, expression: { kind: 'fragment', sql, type, canFail: false, position } }
}

/** GROUPING(a, b): a bit for each argument, the first one's highest, set where the group's set lacks it. Errors: sql_invalid. */
export function analyseGroupingCall(
  { args = [] }: GroupingFunc,
  position: number,
  grouping: Grouping,
  itemOf: (node: Node) => GroupItem | undefined,
): SqlFragment {
  if (args.length > GROUPING_ARGUMENTS_MAX)
    throw unsupported(`GROUPING takes at most ${GROUPING_ARGUMENTS_MAX} arguments`, position, 'Write several calls.')
  const indexes = args.map((arg) => {
    const item = itemOf(arg)
    if (item !== undefined) return grouping.items.indexOf(item)
    throw new RollupdError('sql_invalid', 'arguments of GROUPING must be expressions of GROUP BY', {
      position,
      hint: 'Write them as GROUP BY has them.',
    })
  })
  const bitsOf = (set: ColumnSet): number =>
    groupingBits(
      indexes.flatMap((index, place) => (set.includes(index) ? [place] : [])),
      indexes.length,
    )
  const { sets } = grouping
  // where no row is there the set of a total has no number
  const sql =
    sets === undefined
      ? '0'
      : `(CASE ${sets.numberText} ${sets.sets.map((set, number) => `WHEN ${number} THEN ${bitsOf(set)}`).join(' ')} ELSE ${bitsOf([])} END)`
  return { kind: 'fragment', sql, type: 'bigint', canFail: false, position }
}
