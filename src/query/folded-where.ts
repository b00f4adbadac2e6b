/**
 * Owns WHERE and GROUP BY over folded groups: what reads a single grouping value is computed once for each of its values, so that the groups are folded
 * to what it makes of them. A day's minutes become one day; a condition leaves two or three values of a path. An error that this meets is noted as
 * everywhere, and then the answer isn't used (query-runner.ts).
 */
import type { Expression, SqlFragment } from '../sql/expression.ts'
import type { Node } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import type { CompileContext } from './compile-context.ts'
import type { Derivation } from './fold-request.ts'
import type { FoldedRollup } from './folded-rollup.ts'
import { nowhere } from './guard-place.ts'
import { intersect, type TimeRange, timeRangeOf } from './time-range.ts'

/** The parts of a condition that must all be true. */
export function analyseFoldedWhere(
  where: Node,
  analyser: Analyser,
  folded: FoldedRollup,
  context: CompileContext,
): Expression[] {
  const { conditions, printer } = context
  const others: Expression[] = []
  const derived = new Map<number, Derivation>()
  for (const node of conjunctsOf(where)) {
    const before = folded.reads
    const condition = analyser.analyseCondition(node, 'WHERE')
    const derivation = holdsSubquery(node)
      ? undefined
      : folded.derive(before, () => folded.withBucket(() => conditions.print(condition, nowhere('WHERE'))))
    if (derivation === undefined) {
      others.push(condition)
      continue
    }
    const range = timeRangeOf(condition, folded.timeText, printer)
    const known = derived.get(derivation.group)
    derived.set(derivation.group, known === undefined ? { ...derivation, range } : join(known, derivation, range))
    const whole = derived.get(derivation.group)?.range
    if (whole !== undefined) folded.narrow(whole, context.catalog)
  }
  const cells = [...derived.values()].map((derivation): SqlFragment => {
    const sql = folded.condition(derivation)
    return { kind: 'fragment', sql, type: 'boolean', canFail: false, position: 0 }
  })
  return [...cells, ...others]
}

/** Both conditions of one grouping value. */
function join(one: Derivation, { text }: Derivation, range: TimeRange | undefined): Derivation {
  const both = one.range === undefined || range === undefined ? undefined : intersect(one.range, range)
  return { ...one, text: `${one.text} AND ${text}`, range: both }
}

/** A grouping expression, as a value of its own where it can be derived. `before`: reads before it was analysed. */
export function deriveGroup(
  node: Node,
  expression: Expression,
  folded: FoldedRollup,
  before: ReadonlyMap<number, number>,
  { printer }: CompileContext,
): Expression {
  const { type, position } = expression
  // a column is itself; of equal doubles one may be a negative zero
  if ('ColumnRef' in node || type === 'double precision' || holdsSubquery(node)) return expression
  const derivation = folded.derive(before, () => printer.print(expression))
  if (derivation === undefined) return expression
  return { kind: 'fragment', sql: folded.cell({ kind: 'derived', derivation }), type, canFail: false, position }
}

function conjunctsOf(node: Node): readonly Node[] {
  if (!('BoolExpr' in node) || node.BoolExpr.boolop !== 'AND_EXPR') return [node]
  return (node.BoolExpr.args ?? []).flatMap(conjunctsOf)
}

/** It may name what only the statement has. */
function holdsSubquery(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  return 'SubLink' in node || Object.values(node).some(holdsSubquery)
}
