/** Owns make_interval(days => 10): the one function whose arguments can be named, since nobody counts seven of them. */
import { RollupdError } from '../core/errors.ts'
import type { Expression } from './expression.ts'
import { INTERVAL_PARTS } from './functions/interval-functions.ts'
import { literal } from './literal.ts'
import type { FuncCall } from './parse-statement.ts'
import { required } from './analyse-condition.ts'
import { resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'

const NAME = 'make_interval'

/** Those that are left out before a named one are 0. Errors: sql_invalid for an unknown name, one given twice, a plain one behind a named one. */
export function analyseMakeInterval(node: FuncCall, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const args: Expression[] = []
  let isNamed = false
  for (const arg of node.args ?? []) {
    if (!('NamedArgExpr' in arg)) {
      if (isNamed) throw refuse('a value without a name stands behind a named one', position)
      args.push(analyser.analyse(arg))
      continue
    }
    const { name = '', arg: value, location } = arg.NamedArgExpr
    const place = INTERVAL_PARTS.indexOf(name)
    const at = analyser.positionOf(location)
    if (place < 0) throw refuse(`${NAME} has no part "${name}"`, at)
    if (args[place] !== undefined) throw refuse(`${NAME} got ${name} twice`, at)
    isNamed = true
    args[place] = analyser.analyse(required(value))
  }
  const filled = Array.from(args, (arg) => arg ?? literal('bigint', '0', position))
  return resolveCall({ form: 'function', name: NAME, args: filled, position })
}

function refuse(message: string, position: number): RollupdError {
  return new RollupdError('sql_invalid', message, {
    position,
    hint: `The parts are ${INTERVAL_PARTS.join(', ')}: ${NAME}(days => 10).`,
  })
}
