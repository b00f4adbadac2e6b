/**
 * Owns the choice of folded groups for FROM: a SELECT that makes groups of one rollup alone is first compiled over them, and where it needs more than
 * they tell, over the groups themselves.
 */
import { RollupdError } from '../core/errors.ts'
import { bareName, lastNamePart } from '../sql/name-parts.ts'
import type { SelectStmt } from '../sql/parse-statement.ts'
import type { CompileContext, Surroundings } from './compile-context.ts'
import { FoldedRollup } from './folded-rollup.ts'
import { type FromClause, single } from './from-clause.ts'
import { NotFolded } from './not-folded.ts'
import type { CatalogRollup } from './query-catalog.ts'
import type { SelectPlan } from './select-plan.ts'

/** `compile` is tried over folded groups. Undefined: they won't do. */
export function compileFolded(
  select: SelectStmt,
  surroundings: Surroundings,
  context: CompileContext,
  compile: (from: FromClause) => SelectPlan,
): SelectPlan | undefined {
  const source = findSource(select, surroundings, context)
  if (source === undefined) return undefined
  const { folds } = context
  const number = folds.length
  const relation = new FoldedRollup(context.newAlias('t'), source.rollup, number, context.parts)
  folds.push(relation)
  try {
    return compile(single(relation, source.name))
  } catch (error) {
    // an error of the statement is told of the statement over groups
    if (!(error instanceof NotFolded) && !(error instanceof RollupdError)) throw error
    folds.length = number
    return undefined
  }
}

interface FoldSource {
  readonly rollup: CatalogRollup
  /** The table's name in the statement. */
  readonly name: string
}

/** The only rollup in FROM, where its copy may serve. */
function findSource(
  { fromClause = [] }: SelectStmt,
  { ctes, outer }: Surroundings,
  context: CompileContext,
): FoldSource | undefined {
  const [item, ...others] = fromClause
  if (context.mayFold === undefined || item === undefined || others.length > 0) return undefined
  // what can read rows around it may be run for each of them
  if (outer !== undefined && outer.columnNames().length > 0) return undefined
  const named = 'RangeVar' in item ? plainName(item.RangeVar, ctes) : unfilteredName(item)
  if (named === undefined || context.catalog.findView(named.rollup) !== undefined) return undefined
  const rollup = context.catalog.find(named.rollup)
  if (rollup === undefined || !context.mayFold(rollup)) return undefined
  if (rollup.plan.wrap.having !== null && !named.isUnfiltered) return undefined
  context.rollups.set(rollup.id, rollup)
  return { rollup, name: named.name }
}

interface NamedRollup {
  readonly rollup: string
  readonly name: string
  readonly isUnfiltered: boolean
}

type FromItem = NonNullable<SelectStmt['fromClause']>[number]

function plainName(
  { relname, schemaname, alias }: Extract<FromItem, { RangeVar: unknown }>['RangeVar'],
  ctes: Surroundings['ctes'],
): NamedRollup | undefined {
  if (relname === undefined || schemaname !== undefined || alias?.colnames !== undefined) return undefined
  if (ctes.find(relname) !== undefined) return undefined
  return { rollup: relname, name: alias?.aliasname ?? relname, isUnfiltered: false }
}

/** unfiltered(rollup) alone. */
function unfilteredName(item: FromItem): NamedRollup | undefined {
  if (!('RangeFunction' in item)) return undefined
  const { functions = [], ordinality, coldeflist, alias } = item.RangeFunction
  const [first, ...more] = functions
  if (more.length > 0 || ordinality === true || coldeflist !== undefined || alias?.colnames !== undefined)
    return undefined
  const call = first !== undefined && 'List' in first ? first.List.items?.[0] : undefined
  if (call === undefined || !('FuncCall' in call) || lastNamePart(call.FuncCall.funcname) !== 'unfiltered')
    return undefined
  const [argument, ...rest] = call.FuncCall.args ?? []
  const rollup = argument === undefined || rest.length > 0 ? undefined : bareName(argument)
  return rollup === undefined ? undefined : { rollup, name: alias?.aliasname ?? rollup, isUnfiltered: true }
}
