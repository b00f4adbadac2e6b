/** Owns ARRAY[...], which is a JSON array, and comparisons with ANY and ALL of one. */
import { assert } from '../core/assert.ts'
import { firstPart, nextElement } from '../core/json-elements.ts'
import { skipValue } from '../core/json-text.ts'
import { Registers } from '../core/registers.ts'
import { analyseInList, joinLogic, operatorName, required } from './analyse-condition.ts'
import { castTo } from './analyse-cast.ts'
import type { Expression, Literal } from './expression.ts'
import { functionById } from './function-table.ts'
import { parseTextArray } from './functions/text-array.ts'
import { isOpen, literal, literalText, toNumber } from './literal.ts'
import { loadLiteral, readLiteral } from './literal-value.ts'
import type { A_ArrayExpr, A_Expr, Node } from './parse-statement.ts'
import { isKnown, resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'
import { toCastType } from './type-name.ts'
import { unsupported } from './unsupported.ts'
import { RollupdError } from '../core/errors.ts'

const BUILD_ARRAY = 'jsonb_build_array'

export function analyseArray(node: A_ArrayExpr, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const args = (node.elements ?? []).map((element) => analyser.analyse(element))
  if (args.every((arg) => arg.kind === 'literal')) return arrayOfLiterals(args, position)
  return resolveCall({ form: 'function', name: BUILD_ARRAY, args, position })
}

/** An array that is written out is a literal, however long. */
function arrayOfLiterals(elements: readonly Literal[], position: number): Literal {
  const out = elements.length
  const r = new Registers(out + 1)
  const typed = elements.map((element) => settleElement(element))
  typed.forEach((element, index) => loadLiteral(r, index, element))
  const all = typed.map((_, index) => index)
  functionById(BUILD_ARRAY).evaluate(r, out, -1, -1, -1, -1, all)
  const value = readLiteral(r, out, 'jsonb')
  assert(typeof value === 'string', 'an array of literals has a text')
  return literal('jsonb', value, position)
}

function settleElement(element: Literal): Literal {
  return isOpen(element) ? literal('text', element.value, element.position) : element
}

/** The operators' names in the grammar, for those that have a name of their own. */
const LIKE_NAMES: Readonly<Record<string, string>> = {
  '~~': 'like',
  '!~~': 'not like',
  '~~*': 'ilike',
  '!~~*': 'not ilike',
}

/** x = ANY (array), x > ALL (array), x LIKE ANY (ARRAY[...]). */
export function analyseAnyAll(node: A_Expr, analyser: Analyser): Expression {
  const at = analyser.positionOf(node.location)
  const quantifier = node.kind === 'AEXPR_OP_ALL' ? 'all' : 'any'
  const written = operatorName(node)
  const name = LIKE_NAMES[written] ?? written
  const argument = analyser.analyse(required(node.lexpr))
  const { array: right, toElement } = withoutCast(required(node.rexpr), analyser)
  const elements = elementsOf(right, analyser)
  if (elements !== undefined) return compareEach(name, quantifier, argument, elements.map(toElement), at)
  const array = analyser.analyseSettled(right)
  if (array.kind === 'literal' && array.value === null && array.type !== 'jsonb') return literal('boolean', null, at)
  const literals = array.kind === 'literal' && array.type === 'jsonb' ? elementsOfJson(array) : undefined
  if (literals !== undefined) return compareEach(name, quantifier, argument, literals.map(toElement), at)
  // an array of the records has no elements here that a cast could go to: the cast itself is refused, as anywhere
  if (right !== node.rexpr) analyser.analyse(required(node.rexpr))
  const operator = `${name} ${quantifier}`
  if (!isKnown('operator', operator)) {
    throw unsupported(
      `${operator.toUpperCase()} takes an array that is written out`,
      at,
      `Write x ${operator.toUpperCase()} (ARRAY['a', 'b']).`,
    )
  }
  const position = argument.position || at
  return resolveCall({ form: 'operator', name: operator, args: [argument, array], position, errorPosition: at })
}

/** An array without the cast to an array of some type, which is one of each element: ANY ($1::text[]). */
function withoutCast(
  node: Node,
  analyser: Analyser,
): { readonly array: Node; readonly toElement: (element: Expression) => Expression } {
  const typeName = 'TypeCast' in node ? node.TypeCast.typeName : undefined
  if (!('TypeCast' in node) || typeName?.arrayBounds === undefined || typeName.arrayBounds.length === 0)
    return { array: node, toElement: (element) => element }
  const { arrayBounds: _, ...ofElement } = typeName
  const at = analyser.positionOf(typeName.location)
  const type = toCastType(ofElement, at)
  const toElement = (element: Expression): Expression => castTo(element, type, element.position || at, at)
  return { array: required(node.TypeCast.arg), toElement }
}

/** ARRAY[...] element by element, so that each meets the left side's type; likewise the text of an array, '{1,2}'. */
function elementsOf(node: Node, analyser: Analyser): readonly Expression[] | undefined {
  if ('A_ArrayExpr' in node) return (node.A_ArrayExpr.elements ?? []).map((element) => analyser.analyse(element))
  if (!('A_Const' in node) || node.A_Const.sval === undefined) return undefined
  const position = analyser.positionOf(node.A_Const.location)
  const texts = parseTextArray(node.A_Const.sval.sval ?? '')
  if (texts !== undefined) return texts.map((text) => literal('unknown', text, position))
  throw new RollupdError('sql_invalid', `"${node.A_Const.sval.sval ?? ''}" is no array`, {
    position,
    hint: "Write ARRAY['a', 'b'], or '{a,b}'.",
  })
}

/** The elements of an array that a parameter or a cast literal brings; undefined where it is none. */
function elementsOfJson(array: Literal): readonly Literal[] | undefined {
  if (array.value === null) return undefined
  const bytes = Buffer.from(literalText(array), 'utf8')
  if (bytes[0] !== 0x5b) return undefined
  const elements: Literal[] = []
  for (let at = firstPart(bytes, 0); at >= 0; at = nextElement(bytes, at)) {
    elements.push(elementLiteral(bytes.toString('utf8', at, skipValue(bytes, at)), array.position))
  }
  return elements
}

/** As the same value written alone: a text takes the other side's type. */
function elementLiteral(json: string, position: number): Literal {
  if (json === 'null') return literal('unknown', null, position)
  if (json === 'true' || json === 'false') return literal('boolean', json === 'true', position)
  if (json.startsWith('"')) return literal('unknown', JSON.parse(json) as string, position)
  if (json.startsWith('[') || json.startsWith('{')) return literal('jsonb', json, position)
  return toNumber(json, position)
}

function compareEach(
  name: string,
  quantifier: 'any' | 'all',
  argument: Expression,
  elements: readonly Expression[],
  at: number,
): Expression {
  const isAny = quantifier === 'any'
  if (elements.length === 0) return literal('boolean', !isAny, at)
  if (name === '=' && isAny) return analyseInList(argument, elements, at, false)
  if (name === '<>' && !isAny) return analyseInList(argument, elements, at, true)
  if (!isKnown('operator', name)) throw unsupported(`there is no operator ${name}`, at)
  const position = argument.position || at
  const comparisons = elements.map((element) =>
    resolveCall({ form: 'operator', name, args: [argument, element], position, errorPosition: element.position || at }),
  )
  return joinLogic(isAny ? 'or' : 'and', comparisons)
}
