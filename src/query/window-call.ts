/**
 * Owns calls with OVER. Those that number rows and those that look at another row are SQLite's own, which pass a cell on as it is;
 * aggregates are ours, folded by window-fold.ts, but for COUNT, MIN and MAX where SQLite's mean the same.
 */
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { isAggregateName } from '../planner/choose-aggregate.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Expression, SqlFragment } from '../sql/expression.ts'
import { isWindowFunction } from '../sql/refused-functions.ts'
import type { CallSite } from '../sql/scope.ts'
import { unifyTypes } from '../sql/unify-types.ts'
import { unsupported } from '../sql/unsupported.ts'
import { analyseWindowAggregate } from './aggregate-call.ts'
import { MEASURE } from '../planner/measure-name.ts'
import type { CallScope } from './scope-parts.ts'
import type { Window } from './window-clause.ts'
import { wholeNumber } from './window-frame.ts'

const OUTSIDE_HINT = 'Compute them in a subquery in FROM, and use its columns.'

/** A call with OVER, or of a function that needs it. Errors: sql_invalid where none may stand, and for a call that is none. */
export function analyseWindowCall(site: CallSite, scope: CallScope): SqlFragment {
  const { name, node, position, analyser } = site
  const { windows } = scope
  if (name === MEASURE) {
    throw unsupported(
      'MEASURE takes no OVER',
      position,
      'Measure in a subquery with GROUP BY, and use window functions over its rows.',
    )
  }
  if (!isWindowFunction(name) && !isAggregateName(name)) {
    throw new RollupdError('sql_invalid', `OVER stands behind ${name}, which is no window function`, {
      position,
      hint: 'Window functions are row_number, rank, lag and their like, and aggregates.',
    })
  }
  if (windows === undefined) {
    throw new RollupdError('sql_invalid', `window functions are not allowed in ${scope.clause}`, {
      position,
      hint: OUTSIDE_HINT,
    })
  }
  if (node.over === undefined) {
    throw new RollupdError('sql_invalid', `the window function ${name} needs OVER`, {
      position,
      hint: `Write ${name}(...) OVER (ORDER BY ...).`,
    })
  }
  const inside = analyser.within(scope.withoutWindows(`a call of the window function ${name.toUpperCase()}`))
  const window = windows.window(node.over, inside)
  if (!isWindowFunction(name)) return analyseWindowAggregate({ ...site, analyser: inside }, scope, window)
  return analyseOwnFunction({ ...site, analyser: inside }, scope, window)
}

/** By name: how many arguments there may be, and the type where it isn't the first one's. */
const FUNCTIONS: Readonly<Record<string, WindowFunction>> = {
  row_number: { arguments: [], needed: 0, type: 'bigint' },
  rank: { arguments: [], needed: 0, type: 'bigint' },
  dense_rank: { arguments: [], needed: 0, type: 'bigint' },
  percent_rank: { arguments: [], needed: 0, type: 'double precision' },
  cume_dist: { arguments: [], needed: 0, type: 'double precision' },
  ntile: { arguments: ['buckets'], needed: 1, type: 'bigint' },
  lag: { arguments: ['value', 'offset', 'default'], needed: 1 },
  lead: { arguments: ['value', 'offset', 'default'], needed: 1 },
  first_value: { arguments: ['value'], needed: 1 },
  last_value: { arguments: ['value'], needed: 1 },
  nth_value: { arguments: ['value', 'n'], needed: 2 },
}

interface WindowFunction {
  readonly arguments: readonly string[]
  readonly needed: number
  readonly type?: ScalarType
}

function analyseOwnFunction(site: CallSite, scope: CallScope, window: Window): SqlFragment {
  const { name, node, position, analyser } = site
  const definition = FUNCTIONS[name]
  assert(definition !== undefined, `a window function ${name}`)
  refuseForms(site)
  const args = (node.args ?? []).map((arg) => analyser.analyse(arg))
  if (args.length < definition.needed || args.length > definition.arguments.length) {
    const given = `${args.length} argument${args.length === 1 ? '' : 's'}`
    const found = args.length === 0 ? 'no arguments' : given
    throw new RollupdError('sql_type_mismatch', `the window function ${name} does not take ${found}`, {
      position,
      hint: `It is ${name}(${definition.arguments.join(', ')}).`,
    })
  }
  const { printer } = scope.parts.context
  const over = `OVER (${window.text})`
  const fragment = (texts: readonly string[], type: ScalarType, canFail: boolean): SqlFragment => ({
    kind: 'fragment',
    sql: `${name}(${texts.join(', ')}) ${over}`,
    type,
    canFail,
    position,
  })
  if (definition.type !== undefined) {
    const count = args.map((arg) => wholeNumber(arg, `the argument of ${name}`, placeOf(arg, position), 1n))
    return fragment(count, definition.type, false)
  }
  if (window.range !== undefined && READS_FRAME.has(name)) {
    throw unsupported(
      `${name} over a RANGE with an offset of months is not supported`,
      position,
      'Write days instead of months, or use an aggregate.',
    )
  }
  const [value, second, otherwise] = args
  assert(value !== undefined, 'the number of arguments is checked')
  const offset = second === undefined ? [] : [offsetOf(name, second, placeOf(second, position))]
  const { type, expressions } = unifyTypes(
    name.toUpperCase(),
    otherwise === undefined ? [value] : [value, otherwise],
    position,
  )
  const [first = '', ...rest] = expressions.map((one) => printer.printAs(one, type))
  return fragment(
    [first, ...offset, ...rest],
    type,
    expressions.some((one) => printer.canFail(one)),
  )
}

const READS_FRAME: ReadonlySet<string> = new Set(['first_value', 'last_value', 'nth_value'])

/** A row before or behind by a number that is known: SQLite looks it up by that. */
function offsetOf(name: string, expression: Expression, position: number): string {
  return name === 'nth_value'
    ? wholeNumber(expression, 'n of nth_value', position, 1n)
    : wholeNumber(expression, `the offset of ${name}`, position, INT64_MIN)
}

const INT64_MIN = -(2n ** 63n)

function placeOf(expression: Expression, otherwise: number): number {
  return expression.position === 0 ? otherwise : expression.position
}

function refuseForms({ name, node, position }: CallSite): void {
  const form = node.agg_distinct === true ? 'DISTINCT' : node.agg_filter !== undefined ? 'FILTER' : undefined
  if (form === undefined && node.agg_star !== true && node.agg_order === undefined) return
  throw new RollupdError('sql_invalid', `${form ?? 'this form'} is for aggregates, ${name} is a window function`, {
    position,
    hint: 'Take other rows in a subquery in FROM.',
  })
}
