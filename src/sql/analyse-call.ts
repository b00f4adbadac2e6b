/** Owns function calls: which the scope treats, which the table has, and why any other is refused. */
import { RollupdError } from '../core/errors.ts'
import { analyseTryCast } from './analyse-cast.ts'
import type { Expression } from './expression.ts'
import { functionNames } from './function-table.ts'
import { analyseMakeInterval } from './make-interval-call.ts'
import { didYouMean } from './nearest-name.ts'
import type { FuncCall, Node } from './parse-statement.ts'
import { insteadOf, isLaterFunction, isWindowFunction, volatileReason } from './refused-functions.ts'
import { analysePercentiles } from './percentile-array.ts'
import { isKnown, resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'
import { unsupported } from './unsupported.ts'
import { nameParts } from './name-parts.ts'

const CATALOG = 'pg_catalog'
/** TRIM arrives by the name of the function behind it, position(x IN y) as position(y, x). */
const GRAMMAR_NAMES: Readonly<Record<string, string>> = { btrim: 'trim', position: 'strpos' }

/** Written as calls, and no functions of their values. */
const FORMS: ReadonlyMap<string, (node: FuncCall, analyser: Analyser) => Expression> = new Map([
  ['make_interval', analyseMakeInterval],
  ['try', analyseTry],
  ['try_cast', analyseTryCast],
])

export function analyseCall(node: FuncCall, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const name = callName(node, position)
  const percentiles = analysePercentiles({ name, node, position, analyser })
  if (percentiles !== undefined) return percentiles
  const byScope = analyser.scope.call?.({ name, node, position, analyser })
  if (byScope !== undefined) return byScope
  const reason = volatileReason(name, node.args?.length ?? 0)
  if (reason !== undefined) {
    throw unsupported(
      `the function ${name} is refused: ${reason}`,
      position,
      'Use a field or _meta.timestamp, or pass the value as a parameter of the query.',
    )
  }
  refuseAggregateForms(name, node, analyser, position)
  const form = FORMS.get(name)
  if (form !== undefined) return form(node, analyser)
  const known = tableName(name)
  if (!isKnown('function', known)) throw unknownFunction(name, analyser, position)
  const args = (node.args ?? []).map((arg) => analyser.analyse(plainArgument(arg, analyser)))
  return resolveCall({ form: 'function', name: known, args, position })
}

/** The functions of json are those of jsonb, as the types are one. */
function tableName(name: string): string {
  const jsonb = name === 'to_json' ? 'to_jsonb' : name.replace(/^json_/, 'jsonb_')
  return GRAMMAR_NAMES[name] ?? (isKnown('function', jsonb) ? jsonb : name)
}

/** try(x) */
function analyseTry({ args = [], location }: FuncCall, analyser: Analyser): Expression {
  const [subject, ...more] = args
  const position = analyser.positionOf(location)
  if (subject === undefined || more.length > 0) {
    throw new RollupdError('sql_invalid', 'try takes one expression', { position, hint: 'Write try(x::bigint).' })
  }
  const argument = analyser.analyseSettled(plainArgument(subject, analyser))
  return { kind: 'try', argument, type: argument.type, position }
}

/** Lower case, without the schema that the grammar adds. Errors: sql_unknown_function for any other schema. */
function callName(node: FuncCall, position: number): string {
  const parts = nameParts(node.funcname)
  const name = parts.at(-1) ?? ''
  if (parts.length > 1 && parts[0] !== CATALOG) {
    throw new RollupdError('sql_unknown_function', `there is no function ${parts.join('.')}`, {
      position,
      hint: 'Functions have no schema.',
    })
  }
  return name
}

/** What only aggregates and window functions take. */
function refuseAggregateForms(name: string, node: FuncCall, analyser: Analyser, position: number): void {
  if (node.over !== undefined || isWindowFunction(name)) {
    throw unsupported(
      `window functions are not allowed in ${analyser.scope.clause}`,
      position,
      'Use them in a query over the rollup.',
    )
  }
  if (node.func_variadic === true)
    throw unsupported('VARIADIC is not supported', position, 'Write the arguments one by one.')
  const form = aggregateForm(node)
  if (form === undefined || (!isKnown('function', name) && !FORMS.has(name))) return
  throw new RollupdError('sql_invalid', `${form} is for aggregates, ${name} is a function`, { position })
}

function aggregateForm(node: FuncCall): string | undefined {
  if (node.agg_star === true) return '*'
  if (node.agg_distinct === true) return 'DISTINCT'
  if (node.agg_filter !== undefined) return 'FILTER'
  if (node.agg_within_group === true) return 'WITHIN GROUP'
  return node.agg_order === undefined ? undefined : 'ORDER BY'
}

function plainArgument(node: Node, analyser: Analyser): Node {
  if (!('NamedArgExpr' in node)) return node
  throw unsupported(
    'named arguments are not supported',
    analyser.positionOf(node.NamedArgExpr.location),
    'Write the values alone, in order.',
  )
}

function unknownFunction(name: string, analyser: Analyser, position: number): RollupdError {
  const instead = insteadOf(name)
  if (isLaterFunction(name)) return unsupported(`the function ${name} is not supported yet`, position, instead)
  const names = [...functionNames(), ...FORMS.keys(), ...(analyser.scope.callNames ?? [])]
  return new RollupdError('sql_unknown_function', `there is no function ${name}`, {
    position,
    hint: instead ?? didYouMean(name, names),
  })
}
