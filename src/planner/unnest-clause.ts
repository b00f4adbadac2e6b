/** Owns FROM of a statement over records: `_input`, and UNNEST of one of its arrays beside it. */
import { RollupdError } from '../core/errors.ts'
import { createAnalyser, locationOf } from '../sql/analyse-expression.ts'
import { lastNamePart, nameParts } from '../sql/name-parts.ts'
import type { FuncCall, Node, RangeFunction, Statement } from '../sql/parse-statement.ts'
import type { Scope } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import type { UnnestPlan } from './plan.ts'
import { INPUT } from './record-scope.ts'
import { readRelation, refuseFrom } from './rollup-clauses.ts'

export interface RecordFrom {
  /** FROM _input AS alias */
  readonly alias: string | undefined
  readonly unnest: UnnestPlan | undefined
}

const UNNEST = 'unnest'
const FORMS = `Write FROM ${INPUT} CROSS JOIN UNNEST(items) AS i, or LEFT JOIN UNNEST(items) AS i ON true for records without items too.`

/** `toScope` makes the scope of UNNEST's argument. Errors: sql_unsupported, sql_invalid for anything else in FROM. */
export function readRecordFrom(statement: Statement, toScope: (alias: string | undefined) => Scope): RecordFrom {
  const [from, second, ...more] = statement.select.fromClause ?? []
  const extra = more[0]
  if (extra !== undefined) refuseFrom(statement, INPUT, extra)
  const parts = second === undefined && from !== undefined ? joinParts(from) : undefined
  const table = parts?.table ?? from
  const array = parts?.array ?? second
  const alias = readRelation(statement, INPUT, table)
  if (array === undefined) return { alias, unnest: undefined }
  const call = unnestCall(array)
  if (call === undefined || !('RangeFunction' in array)) return refuseFrom(statement, INPUT, array)
  const position = statement.positionOf(call.location)
  if (parts !== undefined && !parts.isPlain) {
    throw unsupported('the join with UNNEST takes no condition but true', position, `${FORMS} WHERE chooses elements.`)
  }
  const path = readArray(call, statement, toScope(alias))
  return { alias, unnest: { path, isLeft: parts?.isLeft ?? false, ...readNames(array.RangeFunction, position) } }
}

interface JoinParts {
  readonly table: Node | undefined
  readonly array: Node | undefined
  readonly isLeft: boolean
  /** CROSS JOIN, or ON true. */
  readonly isPlain: boolean
}

/** Undefined for what is no join with a function. */
function joinParts(node: Node): JoinParts | undefined {
  if (!('JoinExpr' in node)) return undefined
  const { jointype, larg, rarg, quals, usingClause, isNatural, alias } = node.JoinExpr
  if (rarg === undefined || unnestCall(rarg) === undefined) return undefined
  if (jointype !== 'JOIN_INNER' && jointype !== 'JOIN_LEFT') return undefined
  const isTrue = quals !== undefined && 'A_Const' in quals && quals.A_Const.boolval?.boolval === true
  const isPlain =
    (quals === undefined || isTrue) && usingClause === undefined && isNatural !== true && alias === undefined
  return { table: larg, array: rarg, isLeft: jointype === 'JOIN_LEFT', isPlain }
}

function unnestCall(node: Node): FuncCall | undefined {
  if (!('RangeFunction' in node)) return undefined
  const [item, ...more] = node.RangeFunction.functions ?? []
  const call = item !== undefined && 'List' in item ? item.List.items?.[0] : undefined
  if (call === undefined || more.length > 0 || !('FuncCall' in call)) return undefined
  return lastNamePart(call.FuncCall.funcname) === UNNEST ? call.FuncCall : undefined
}

function readArray({ args = [], location }: FuncCall, statement: Statement, scope: Scope): UnnestPlan['path'] {
  const [argument, ...more] = args
  const position = statement.positionOf(argument === undefined ? location : (locationOf(argument) ?? location))
  const expression =
    argument === undefined || more.length > 0 ? undefined : createAnalyser(statement, scope).analyseSettled(argument)
  if (expression?.kind === 'field' && expression.path.length > 0) return expression.path
  throw unsupported('UNNEST takes one field of the record', position || statement.positionOf(location), FORMS)
}

/** `AS i`, `AS i(item)`, and with ORDINALITY `AS i(item, n)`; without names the element is called as the table, the number ordinality. */
function readNames(
  { alias, ordinality }: RangeFunction,
  position: number,
): Pick<UnnestPlan, 'alias' | 'element' | 'ordinality'> {
  const name = alias?.aliasname
  if (name === undefined) {
    throw new RollupdError('sql_invalid', 'UNNEST needs a name for its elements', { position, hint: FORMS })
  }
  const [element = name, number = 'ordinality', ...more] = nameParts(alias?.colnames)
  const given = alias?.colnames?.length ?? 0
  if (more.length > 0 || (given > 1 && ordinality !== true)) {
    throw new RollupdError('sql_invalid', `UNNEST has ${ordinality === true ? 2 : 1} columns, ${given} are named`, {
      position,
      hint: 'WITH ORDINALITY adds the number of the element.',
    })
  }
  return { alias: name, element, ...(ordinality === true ? { ordinality: number } : {}) }
}
