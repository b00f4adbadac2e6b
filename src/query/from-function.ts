/** Owns functions in FROM: unfiltered(rollup), generate_series, and those that make rows of a JSON value. Their arguments may read what stands before them. */
import { RollupdError } from '../core/errors.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import { bareName, lastNamePart, nameParts } from '../sql/name-parts.ts'
import type { FuncCall, RangeFunction } from '../sql/parse-statement.ts'
import { unsupported } from '../sql/unsupported.ts'
import type { CompileContext, Surroundings } from './compile-context.ts'
import { compileParts, isPartsFunction, PARTS_FUNCTION_NAMES } from './json-parts-relation.ts'
import { LateralScope, type EarlierItems } from './lateral-scope.ts'
import type { Relation } from './relation.ts'
import { RollupView } from './rollup-view.ts'
import { compileSeries } from './series-relation.ts'
import { GENERATE_SERIES } from './series-table.ts'

const HINT = `FROM takes rollups, subqueries, unfiltered(rollup), generate_series(first, last, step) and ${PARTS_FUNCTION_NAMES.join(', ')}.`

export interface FunctionInFrom {
  readonly relation: Relation
  /** The table's name where it has no alias. */
  readonly name: string
  readonly position: number
}

export function compileFunction(
  node: RangeFunction,
  surroundings: Surroundings,
  context: CompileContext,
  earlier: readonly EarlierItems[],
): FunctionInFrom {
  const [item, ...others] = node.functions ?? []
  const called = item !== undefined && 'List' in item ? item.List.items?.[0] : undefined
  if (called === undefined || !('FuncCall' in called) || others.length > 0 || node.coldeflist !== undefined)
    throw unsupported('this function in FROM is not supported', context.positionWithin(node), HINT)
  const call = called.FuncCall
  const position = context.positionOf(call.location)
  const name = lastNamePart(call.funcname)
  const alias = context.newAlias('t')
  const scope = new LateralScope(`the arguments of ${name}`, { context, surroundings }, earlier)
  if (isPartsFunction(name))
    return { relation: compileParts(call, name, node, alias, context.analyser(scope), context), name, position }
  if (name === GENERATE_SERIES) {
    const names = seriesNames(node)
    return { relation: compileSeries(call, names, alias, context.analyser(scope), context), name, position }
  }
  if (name !== 'unfiltered') throw unsupported(`the function ${name} in FROM is not supported`, position, HINT)
  if (node.ordinality === true) throw unsupported('WITH ORDINALITY of a rollup is not supported', position)
  return { ...unfiltered(call, alias, context), position }
}

/** unfiltered(r): r without its HAVING. */
function unfiltered(
  { args, location }: FuncCall,
  alias: string,
  context: CompileContext,
): Omit<FunctionInFrom, 'position'> {
  const [argument, ...more] = args ?? []
  const name = argument === undefined ? undefined : bareName(argument)
  if (argument === undefined || name === undefined || more.length > 0) {
    throw new RollupdError('sql_invalid', 'unfiltered takes the name of one rollup', {
      position: context.positionOf(location),
      hint: 'Write FROM unfiltered(pageviews).',
    })
  }
  const at = context.positionOf(locationOf(argument))
  if (context.catalog.findView(name) !== undefined) {
    throw new RollupdError('sql_invalid', `unfiltered takes a rollup, "${name}" is a view`, {
      position: at,
      hint: 'Write unfiltered(rollup) inside the view.',
    })
  }
  const rollup = context.rollup(name, at)
  return { relation: new RollupView(alias, rollup, true, context.parts), name }
}

/** PostgreSQL's: an alias names the only column too. */
function seriesNames({ alias, ordinality }: RangeFunction): { value: string; ordinality: string | undefined } {
  const [value = alias?.aliasname ?? GENERATE_SERIES, place = 'ordinality'] = nameParts(alias?.colnames)
  return { value, ordinality: ordinality === true ? place : undefined }
}
