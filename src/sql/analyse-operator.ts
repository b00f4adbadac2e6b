/** Owns operators: arithmetic, comparisons, LIKE, paths by ->, and what PostgreSQL has beyond them (refused). */
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { analyseAnyAll } from './analyse-array.ts'
import { analyseBetween, analyseIn, isBetween, operatorName, required } from './analyse-condition.ts'
import { analyseRows, hasRow } from './analyse-row.ts'
import type { Expression, Literal } from './expression.ts'
import { isOpen, literal, literalText } from './literal.ts'
import type { A_Expr, Node } from './parse-statement.ts'
import { isKnown, resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'
import { similarToRegexp } from './similar-pattern.ts'
import { unsupported } from './unsupported.ts'
import { lastNamePart } from './name-parts.ts'

/** The grammar's names of LIKE. */
const LIKE_NAMES: Readonly<Record<string, string>> = {
  '~~': 'like',
  '!~~': 'not like',
  '~~*': 'ilike',
  '!~~*': 'not ilike',
}
const OPERATOR_HINTS: Readonly<Record<string, string>> = {
  '==': 'Write = for equality.',
  '!==': 'Write <> for inequality.',
  '//': 'Write / for division; it truncates between declared integers (::bigint).',
  '**': 'Write ^ or power(x, y).',
  '&&': 'Write AND; of arrays of texts a ?| b says whether they share one.',
  '!': 'Write NOT.',
  '@': 'Write abs(x).',
  '|/': 'Write sqrt(x).',
  '||/': 'Write cbrt(x).',
}
const PREFIXES: ReadonlySet<string> = new Set(['-', '+', '~'])
const OPERATOR_LIST =
  'The operators are + - * / % ^ & | # ~ << >> = <> < <= > >= || ^@ ~* !~ !~* -> ->> #> #>> @> <@ ? ?| ?& LIKE ILIKE IN BETWEEN and IS.'

export function analyseOperator(node: A_Expr, analyser: Analyser): Expression {
  const at = analyser.positionOf(node.location)
  if (hasRow(node)) return analyseRows(node, analyser)
  if (isBetween(node)) return analyseBetween(node, analyser)
  switch (node.kind) {
    case 'AEXPR_OP':
      return analysePlain(node, analyser, at)
    case 'AEXPR_IN':
      return analyseIn(node, analyser)
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      return analyseLike(node, analyser, at)
    case 'AEXPR_DISTINCT':
      return binary('is distinct from', node, analyser, at)
    case 'AEXPR_NOT_DISTINCT':
      return binary('is not distinct from', node, analyser, at)
    case 'AEXPR_NULLIF':
      return resolveCall({ form: 'function', name: 'nullif', args: sides(node, analyser), position: at })
    case 'AEXPR_SIMILAR':
      return analyseSimilar(node, analyser, at)
    default:
      return analyseAnyAll(node, analyser)
  }
}

function sides(node: A_Expr, analyser: Analyser): Expression[] {
  return [analyser.analyse(required(node.lexpr)), analyser.analyse(required(node.rexpr))]
}

function binary(name: string, node: A_Expr, analyser: Analyser, at: number): Expression {
  const args = sides(node, analyser)
  return resolveCall({ form: 'operator', name, args, position: args[0]?.position || at, errorPosition: at })
}

function analysePlain(node: A_Expr, analyser: Analyser, at: number): Expression {
  const written = operatorName(node)
  const like = LIKE_NAMES[written]
  if (like !== undefined) return analyseLike(node, analyser, at)
  if (node.lexpr === undefined) return analysePrefix(written, required(node.rexpr), analyser, at)
  if (!isKnown('operator', written)) throw unknownOperator(written, at)
  const args = sides(node, analyser)
  return (
    foldPath(written, args) ??
    resolveCall({ form: 'operator', name: written, args, position: args[0]?.position || at, errorPosition: at })
  )
}

function analysePrefix(written: string, operand: Node, analyser: Analyser, at: number): Expression {
  if (!PREFIXES.has(written)) throw unknownOperator(written, at)
  const argument = analyser.analyse(operand)
  // +x takes numbers alone and leaves them as they are: so does 0 + x.
  const args = written !== '+' ? [argument] : [literal('bigint', '0', at), argument]
  return resolveCall({ form: 'operator', name: written, args, position: at })
}

/** field->'key' and field->0 are paths, read from the record's bytes in one step; a number counts from zero there. */
function foldPath(name: string, [base, step]: readonly Expression[]): Expression | undefined {
  if (name !== '->' || base?.kind !== 'field' || step?.kind !== 'literal') return undefined
  const next = pathStep(step)
  return next === undefined ? undefined : { ...base, path: [...base.path, next] }
}

function pathStep(step: Literal): string | number | undefined {
  if (step.value === null) return undefined
  if (isOpen(step) || step.type === 'text') return literalText(step)
  const index = step.type === 'bigint' ? Number(step.value) : -1
  return Number.isSafeInteger(index) && index >= 0 ? index : undefined
}

function analyseLike(node: A_Expr, analyser: Analyser, at: number): Expression {
  const name = LIKE_NAMES[operatorName(node)]
  assert(name !== undefined, 'the grammar names LIKE by its operator')
  const subject = analyser.analyse(required(node.lexpr))
  const pattern = analysePattern(required(node.rexpr), analyser)
  return resolveCall({
    form: 'operator',
    name,
    args: [subject, pattern],
    position: subject.position || at,
    errorPosition: at,
  })
}

/** LIKE x ESCAPE e arrives as like_escape(x, e); a pattern that is known now is written with backslashes instead. */
function analysePattern(node: Node, analyser: Analyser): Expression {
  if (!('FuncCall' in node) || node.FuncCall.args?.length !== 2) return analyser.analyse(node)
  if (lastNamePart(node.FuncCall.funcname) !== 'like_escape') return analyser.analyse(node)
  const at = analyser.positionOf(node.FuncCall.location)
  const [pattern, escape] = node.FuncCall.args.map((arg) => analyser.analyseSettled(arg))
  if (pattern?.kind !== 'literal' || escape?.kind !== 'literal' || pattern.value === null || escape.value === null) {
    throw unsupported(
      'ESCAPE takes a pattern and a character written as texts',
      at,
      'Use the backslash, which escapes by default.',
    )
  }
  return literal('text', withBackslash(literalText(pattern), literalText(escape), escape.position), pattern.position)
}

/** A pattern that is known now is matched as the regular expression that it means. */
function analyseSimilar(node: A_Expr, analyser: Analyser, at: number): Expression {
  const subject = analyser.analyse(required(node.lexpr))
  const call = required(node.rexpr)
  const written = 'FuncCall' in call ? (call.FuncCall.args ?? []).map((arg) => analyser.analyseSettled(arg)) : []
  const [pattern, escape = literal('text', '\\', at)] = written
  if (pattern?.kind !== 'literal' || escape.kind !== 'literal' || pattern.value === null || escape.value === null) {
    throw unsupported('SIMILAR TO takes a pattern written as a text', at, 'Write LIKE, or ~ with a regular expression.')
  }
  if (Array.from(literalText(escape)).length > 1) {
    throw new RollupdError('sql_invalid', `the escape "${literalText(escape)}" is longer than one character`, {
      position: escape.position,
    })
  }
  const regexp = similarToRegexp(literalText(pattern), literalText(escape))
  return resolveCall({
    form: 'operator',
    name: operatorName(node),
    args: [subject, literal('text', regexp, pattern.position)],
    position: subject.position || at,
    errorPosition: at,
  })
}

function withBackslash(pattern: string, escape: string, position: number): string {
  if (Array.from(escape).length > 1) {
    throw new RollupdError('sql_invalid', `the escape "${escape}" is longer than one character`, { position })
  }
  let result = ''
  let escaped = false
  for (const character of pattern) {
    if (escaped) result += `\\${character}`
    else if (character !== escape) result += character === '\\' ? '\\\\' : character
    escaped = !escaped && character === escape
  }
  if (escaped) throw new RollupdError('sql_invalid', 'the LIKE pattern ends with its escape character', { position })
  return result
}

function unknownOperator(name: string, position: number): RollupdError {
  return unsupported(`there is no operator ${name}`, position, OPERATOR_HINTS[name] ?? OPERATOR_LIST)
}
