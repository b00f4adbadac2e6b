/**
 * Owns percentiles at several fractions, percentile_cont(ARRAY[0.5, 0.9]): an array of the percentiles at each, which share a state. As in
 * PostgreSQL it is NULL of no values, NULL at a fraction that is NULL, and an array of arrays gives one of that shape.
 */
import type { Expression } from './expression.ts'
import { literal } from './literal.ts'
import type { Node } from './parse-statement.ts'
import { resolveCall } from './resolve-call.ts'
import type { Analyser, CallSite } from './scope.ts'

/** Where the fractions stand among the arguments. */
const FRACTION_AT: Readonly<Record<string, number>> = { percentile_cont: 0, percentile_disc: 0, approx_percentile: 1 }
/** Any would do: where there are no fractions it says whether there are values. */
const MIDDLE: Node = { A_Const: { fval: { fval: '0.5' } } }

/** Undefined: another call, or one fraction. */
export function analysePercentiles({ name, node, position, analyser }: CallSite): Expression | undefined {
  if (!Object.hasOwn(FRACTION_AT, name)) return undefined
  const at = FRACTION_AT[name] as number
  const written = node.args?.[at]
  const fractions = elementsOf(written !== undefined && 'ParamRef' in written ? valueOf(written, analyser) : written)
  if (fractions === undefined) return undefined
  const percentile = (fraction: Node): Expression =>
    analyser.analyse({ FuncCall: { ...node, args: (node.args ?? []).with(at, fraction) } })
  const probe = percentile(leavesOf(fractions).find((one) => !isNull(one)) ?? MIDDLE)
  const isEmpty = resolveCall({ form: 'operator', name: 'is null', args: [probe], position })
  const otherwise = listOf(fractions, percentile, position)
  // oxlint-disable-next-line unicorn/no-thenable -- a branch of CASE, never awaited
  const whens = [{ when: isEmpty, then: literal(otherwise.type, null, position) }]
  return { kind: 'case', whens, otherwise, type: otherwise.type, position }
}

function listOf(fractions: readonly Node[], percentile: (fraction: Node) => Expression, position: number): Expression {
  const args = fractions.map((fraction) => {
    const inner = elementsOf(fraction)
    if (inner !== undefined) return listOf(inner, percentile, position)
    return isNull(fraction) ? literal('any', null, position) : percentile(fraction)
  })
  return resolveCall({ form: 'function', name: 'jsonb_build_array', args, position })
}

/** Of an array that is written out, as it is or with its type behind it: ARRAY[0.5]::double precision[]. */
function elementsOf(node: Node | undefined): readonly Node[] | undefined {
  if (node === undefined) return undefined
  if ('A_ArrayExpr' in node) return node.A_ArrayExpr.elements ?? []
  const isCast = 'TypeCast' in node && (node.TypeCast.typeName?.arrayBounds ?? []).length > 0
  return isCast ? elementsOf(node.TypeCast.arg) : undefined
}

/** What a parameter brings, written out where it is an array. */
function valueOf(parameter: Node, analyser: Analyser): Node {
  const value = analyser.analyse(parameter)
  const isJson = value.kind === 'literal' && value.type === 'jsonb' && typeof value.value === 'string'
  return isJson ? toNode(JSON.parse(value.value)) : parameter
}

function toNode(value: unknown): Node {
  if (Array.isArray(value)) return { A_ArrayExpr: { elements: value.map(toNode) } }
  if (value === null) return { A_Const: { isnull: true } }
  return {
    A_Const: typeof value === 'number' ? { fval: { fval: String(value) } } : { sval: { sval: JSON.stringify(value) } },
  }
}

function leavesOf(fractions: readonly Node[]): readonly Node[] {
  return fractions.flatMap((fraction) => {
    const inner = elementsOf(fraction)
    return inner === undefined ? [fraction] : leavesOf(inner)
  })
}

function isNull(node: Node): boolean {
  return 'A_Const' in node && node.A_Const.isnull === true
}
