/** Owns GROUP BY: ordinals, output names and expressions, which of them a bare name means, and the grouping sets that they make. */
import { RollupdError } from '../core/errors.ts'
import { GROUPING_SETS_MAX } from '../core/key-bytes.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import { childrenOf, type Expression } from '../sql/expression.ts'
import { quoteLabel, quoteName } from '../sql/identifier.ts'
import { bareName } from '../sql/name-parts.ts'
import { byOrdinal } from '../sql/output-ordinal.ts'
import type { Node, Statement } from '../sql/parse-statement.ts'
import { expressionKey } from '../sql/expression-key.ts'
import type { Analyser } from '../sql/scope.ts'
import { expandGroupingSets, type ColumnSet } from './grouping-sets.ts'
import { refuseGrouping } from './grouping-call.ts'
import { INPUT } from './record-scope.ts'
import type { StatementScopes } from './statement-scopes.ts'

/** GROUPING is a bit for each of them, and PostgreSQL takes as many. */
const GROUPING_COLUMNS_MAX = 31

/** An output of SELECT before the split. */
export interface SelectedOutput {
  readonly name: string
  readonly expression: Expression
}

/** What GROUP BY means. */
export interface Grouping {
  /** In the order of the statement, each once. */
  readonly expressions: readonly Expression[]
  /** Undefined: one set, of all expressions. */
  readonly sets: readonly ColumnSet[] | undefined
}

/** `analyser` reads fields and refuses aggregates. */
export function resolveGroupBy(
  statement: Statement,
  outputs: readonly SelectedOutput[],
  analyser: Analyser,
  scopes: StatementScopes,
): Grouping {
  const { groupClause = [], groupDistinct = false } = statement.select
  const indexes = new Map<string, number>()
  const expressions: Expression[] = []
  const sets = expandGroupingSets(groupClause, {
    isDistinct: groupDistinct,
    tooMany: (count) => tooManySets(count, statement),
    indexOf: (node) => {
      const expression = resolveItem(node, outputs, analyser, scopes)
      const key = expressionKey(expression)
      const index = indexes.get(key) ?? expressions.push(expression) - 1
      indexes.set(key, index)
      return index
    },
  })
  if (sets.length === 1) return { expressions, sets: undefined }
  if (expressions.length > GROUPING_COLUMNS_MAX) throw tooManyColumns(expressions.length, statement)
  return { expressions, sets }
}

function tooManySets(count: number, statement: Statement): RollupdError {
  return new RollupdError(
    'sql_unsupported',
    `GROUP BY makes ${count} grouping sets, at most ${GROUPING_SETS_MAX} are allowed`,
    {
      position: statement.positionOfWord('group'),
      hint: 'Name the sets that are read: GROUPING SETS ((a, b), (a), ()).',
    },
  )
}

function tooManyColumns(count: number, statement: Statement): RollupdError {
  return new RollupdError(
    'sql_unsupported',
    `the grouping sets have ${count} expressions, at most ${GROUPING_COLUMNS_MAX} are allowed`,
    {
      position: statement.positionOfWord('group'),
      hint: 'Group by fewer of them, or make several rollups on the same topic.',
    },
  )
}

function resolveItem(
  node: Node,
  outputs: readonly SelectedOutput[],
  analyser: Analyser,
  scopes: StatementScopes,
): Expression {
  const position = analyser.positionOf(locationOf(node))
  if ('A_Const' in node) {
    return withoutAggregate(byOrdinal(node.A_Const, 'GROUP BY', outputs, position), position)
  }
  const name = bareName(node)
  const output = name === undefined ? undefined : outputs.find((one) => one.name === name)
  if (name === undefined || output === undefined) return analyser.analyseSettled(node)
  refuseAmbiguous(name, output, outputs.indexOf(output), scopes, position)
  return withoutAggregate(output, position)
}

/** `UPPER(k) AS k ... GROUP BY k` could mean the output or the field: neither is guessed. */
function refuseAmbiguous(
  name: string,
  { expression }: SelectedOutput,
  index: number,
  { from, isOfName }: StatementScopes,
  position: number,
): void {
  const isJustName =
    isOfName(expression, name) &&
    (expression.kind !== 'field' || expression.path.length === (expression.element === undefined ? 1 : 0))
  const isRead = (part: Expression): boolean => isOfName(part, name) || childrenOf(part).some(isRead)
  if (isJustName || !isRead(expression)) return
  const quoted = quoteLabel(name)
  const [what, owner] = from === INPUT ? ['field', INPUT] : ['column', quoteName(from)]
  throw new RollupdError(
    'sql_ambiguous',
    `GROUP BY ${quoted} could mean the output "${name}" or the ${what} "${name}"`,
    {
      position,
      hint: `Write GROUP BY ${index + 1} for the output or GROUP BY ${owner}.${quoted} for the ${what}.`,
    },
  )
}

function withoutAggregate(output: SelectedOutput, position: number): Expression {
  const holds = (kind: Expression['kind']): boolean => holdsKind(output.expression, kind)
  if (holds('grouping')) refuseGrouping('GROUP BY', position)
  if (!holds('aggregate')) return output.expression
  throw new RollupdError('sql_invalid', 'aggregates are not allowed in GROUP BY', {
    position,
    hint: `The output "${output.name}" holds an aggregate. Group by the other outputs.`,
  })
}

function holdsKind(expression: Expression, kind: Expression['kind']): boolean {
  return expression.kind === kind || childrenOf(expression).some((child) => holdsKind(child, kind))
}
