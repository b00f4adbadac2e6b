/** Owns GROUP BY: ordinals, output names and expressions, and which of them a bare name means. */
import { RollupdError } from '../core/errors.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import { childrenOf, type Expression } from '../sql/expression.ts'
import { quoteLabel } from '../sql/identifier.ts'
import { bareName } from '../sql/name-parts.ts'
import { byOrdinal } from '../sql/output-ordinal.ts'
import type { Node, Statement } from '../sql/parse-statement.ts'
import { expressionKey } from '../sql/expression-key.ts'
import type { Analyser } from '../sql/scope.ts'
import { INPUT } from './record-scope.ts'

/** An output of SELECT before the split. */
export interface SelectedOutput {
  readonly name: string
  readonly expression: Expression
}

/** The grouping expressions in their order, each once. `analyser` reads fields and refuses aggregates. */
export function resolveGroupBy(
  statement: Statement,
  outputs: readonly SelectedOutput[],
  analyser: Analyser,
): Expression[] {
  const groups = new Map<string, Expression>()
  for (const node of statement.select.groupClause ?? []) {
    const expression = resolveItem(node, outputs, analyser)
    const key = expressionKey(expression)
    if (!groups.has(key)) groups.set(key, expression)
  }
  return [...groups.values()]
}

function resolveItem(node: Node, outputs: readonly SelectedOutput[], analyser: Analyser): Expression {
  const position = analyser.positionOf(locationOf(node))
  if ('GroupingSet' in node) {
    throw new RollupdError('sql_unsupported', `${groupingSetName(node.GroupingSet.kind)} is not supported yet`, {
      position,
      hint: 'Create a rollup for each grouping.',
    })
  }
  if ('A_Const' in node) {
    return withoutAggregate(byOrdinal(node.A_Const, 'GROUP BY', outputs, position), position)
  }
  const name = bareName(node)
  const output = name === undefined ? undefined : outputs.find((one) => one.name === name)
  if (name === undefined || output === undefined) return analyser.analyseSettled(node)
  refuseAmbiguous(name, output, outputs.indexOf(output), position)
  return withoutAggregate(output, position)
}

function groupingSetName(kind: string | undefined): string {
  const names: Readonly<Record<string, string>> = {
    GROUPING_SET_ROLLUP: 'ROLLUP',
    GROUPING_SET_CUBE: 'CUBE',
    GROUPING_SET_EMPTY: 'GROUP BY ()',
  }
  return names[kind ?? ''] ?? 'GROUPING SETS'
}

/** `UPPER(k) AS k ... GROUP BY k` could mean the output or the field: neither is guessed. */
function refuseAmbiguous(name: string, output: SelectedOutput, index: number, position: number): void {
  const { expression } = output
  const isJustField = expression.kind === 'field' && expression.path.length === 1
  if (isJustField || !readsField(expression, name)) return
  const quoted = quoteLabel(name)
  throw new RollupdError('sql_ambiguous', `GROUP BY ${quoted} could mean the output "${name}" or the field "${name}"`, {
    position,
    hint: `Write GROUP BY ${index + 1} for the output or GROUP BY ${INPUT}.${quoted} for the field.`,
  })
}

function readsField(expression: Expression, name: string): boolean {
  if (expression.kind === 'field') return expression.path[0] === name
  return childrenOf(expression).some((child) => readsField(child, name))
}

function withoutAggregate(output: SelectedOutput, position: number): Expression {
  if (!holdsAggregate(output.expression)) return output.expression
  throw new RollupdError('sql_invalid', 'aggregates are not allowed in GROUP BY', {
    position,
    hint: `The output "${output.name}" holds an aggregate. Group by the other outputs.`,
  })
}

function holdsAggregate(expression: Expression): boolean {
  return expression.kind === 'aggregate' || childrenOf(expression).some(holdsAggregate)
}
