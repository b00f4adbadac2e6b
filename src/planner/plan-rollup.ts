/**
 * Owns the split of a rollup statement: what runs on every record (WHERE, grouping expressions, partial states) and what is computed
 * from the stored states at read time (outputs, HAVING).
 */
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { createAnalyser } from '../sql/analyse-expression.ts'
import { childrenOf, type AggregateCall, type Expression, type PartialValue } from '../sql/expression.ts'
import { outputName } from '../sql/output-name.ts'
import { parseStatement, type Statement } from '../sql/parse-statement.ts'
import { printExpression } from '../sql/print-expression.ts'
import type { Scope } from '../sql/scope.ts'
import { foldedNameWarnings } from './folded-names.ts'
import { groupingBits, type ColumnSet } from './grouping-sets.ts'
import { resolveGroupBy, type SelectedOutput } from './group-by.ts'
import { measureName } from './measure-name.ts'
import { aggregateOf } from './partial-aggregate.ts'
import {
  PLAN_FORMAT,
  type GroupColumn,
  type GroupingSetPlan,
  type OutputColumn,
  type PartialColumn,
  type PlanSource,
  type RollupPlan,
} from './plan.ts'
import { printIngest, printWrap } from './print-plan.ts'
import { quotedNameWarnings } from './quoted-names.ts'
import { INPUT } from './record-scope.ts'
import { checkClauses } from './rollup-clauses.ts'
import { createSourceScopes, requireOneSet, type SourceRollup } from './source-scopes.ts'
import { Splitter } from './split-expression.ts'
import { createRecordScopes } from './statement-scopes.ts'

/** Outputs and stored columns of a rollup: far below what a SQLite table and view hold. */
const COLUMNS_MAX = 500
/** Columns of the view that rollupd adds. */
const RESERVED_OUTPUTS = new Set(['_id'])

export interface PlanOptions {
  /** Of the tables that decide results (law 4): process.versions.tz and process.versions.unicode. */
  readonly versions: RollupPlan['versions']
  /** Bytes of UTF-8; default STATEMENT_BYTES_MAX of parse-statement.ts. */
  readonly statementBytesMax?: number
  /** The rollup that the statement reads; absent: records. */
  readonly source?: SourceRollup
}

/** planRollup with everything else decided. `source`: the rollup that the statement reads; absent: records. */
export type PlanStatement = (sql: string, source?: SourceRollup) => RollupPlan

/**
 * Splits a rollup statement. loadParser must have been awaited once.
 * Errors: every sql_* code with position and hint, statement_too_long.
 */
export function planRollup(sql: string, options: PlanOptions): RollupPlan {
  const { statementBytesMax, source } = options
  const statement = parseStatement(sql, statementBytesMax === undefined ? {} : { statementBytesMax })
  checkClauses(statement)
  const scopes = source === undefined ? createRecordScopes(statement) : createSourceScopes(statement, source)
  const selected = analyseOutputs(statement, scopes.outputs)
  const where = analyseWhere(statement, scopes.where)
  const grouping = resolveGroupBy(statement, selected, createAnalyser(statement, scopes.groupBy), scopes)
  const groups = grouping.sets === undefined ? grouping.expressions : withGroupingBits(grouping.expressions)
  const having = analyseHaving(statement, scopes.having)
  for (const expression of [...selected.map((output) => output.expression), where, ...groups, having]) {
    if (expression !== null) refuseWholeValues(expression)
  }
  if (source !== undefined) requireOneSet(source, where, groups)
  const splitter = new Splitter(groups, selected, scopes.names)
  const outputs = selected.map((output) => splitOutput(output, splitter))
  const wrapHaving = having === null ? null : splitter.split(having)
  const partials = splitter.partials.map((call, index) => toPartialColumn(call, index, source))
  checkSize(groups, partials, outputs)
  if (groups.length + partials.length === 0 && having === null) throw noGroups(statement)
  const ingest = {
    ...(scopes.unnest === undefined ? {} : { unnest: scopes.unnest }),
    where,
    groupBy: groups.map((group, index) => toGroupColumn(group, index, outputs)),
    ...(grouping.sets === undefined ? {} : { groupingSets: toSetPlans(grouping.sets, grouping.expressions.length) }),
    partials,
  }
  const wrap = { outputs, having: wrapHaving }
  const planSource = source === undefined ? undefined : toPlanSource(source, splitter.partials)
  const written = [
    ...selected.map(({ expression }) => expression),
    ...grouping.expressions,
    ...[where, having].filter((one) => one !== null),
  ]
  return {
    format: PLAN_FORMAT,
    sql,
    ...(planSource === undefined ? {} : { source: planSource }),
    ingest,
    wrap,
    ingestSql: printIngest(ingest, scopes.from, scopes.names, planSource),
    wrapSql: printWrap(
      wrap,
      partials.map((partial) => aggregateOf(partial).finishedColumn !== undefined),
    ),
    versions: { ...options.versions },
    warnings: [...foldedNameWarnings(sql, written), ...quotedNameWarnings(sql, written)],
  }
}

function analyseOutputs(statement: Statement, scope: Scope): SelectedOutput[] {
  const analyser = createAnalyser(statement, scope)
  const seen = new Set<string>()
  const outputs = (statement.select.targetList ?? []).map((node): SelectedOutput => {
    assert('ResTarget' in node, 'an output is a ResTarget')
    const target = node.ResTarget
    const position = analyser.positionOf(target.location)
    assert(target.val !== undefined, 'an output has a value')
    if (isStar(target.val)) {
      throw new RollupdError('sql_unsupported', 'SELECT * is not allowed in a rollup', {
        position,
        hint: 'Records have no declared columns: name the fields. COUNT(*) counts records.',
      })
    }
    const name = measureName(target) ?? outputName(target)
    const expression = analyser.analyseSettled(target.val)
    checkOutput(name, seen, position)
    seen.add(name)
    return { name, expression }
  })
  if (outputs.length === 0) {
    throw new RollupdError('sql_invalid', 'SELECT has no outputs', {
      position: 1,
      hint: 'Write at least one, such as COUNT(*).',
    })
  }
  return outputs
}

function isStar(node: object): boolean {
  return JSON.stringify(node).includes('"A_Star"') && 'ColumnRef' in node
}

function checkOutput(name: string, seen: ReadonlySet<string>, position: number): void {
  if (seen.has(name)) {
    throw new RollupdError('sql_invalid', `two outputs have the name "${name}"`, {
      position,
      hint: 'Give one of them a name with AS.',
    })
  }
  if (RESERVED_OUTPUTS.has(name)) {
    throw new RollupdError('sql_invalid', `the output name "${name}" is taken by the group's id`, {
      position,
      hint: 'Give it another name with AS.',
    })
  }
}

function analyseWhere(statement: Statement, scope: Scope): Expression | null {
  const { whereClause } = statement.select
  return whereClause === undefined ? null : createAnalyser(statement, scope).analyseCondition(whereClause, 'WHERE')
}

function analyseHaving(statement: Statement, scope: Scope): Expression | null {
  const { havingClause } = statement.select
  return havingClause === undefined ? null : createAnalyser(statement, scope).analyseCondition(havingClause, 'HAVING')
}

/** `_input` alone, without a step into it. */
function refuseWholeValues(expression: Expression): void {
  if (expression.kind === 'field' && expression.element === undefined && expression.path.length === 0) {
    throw new RollupdError('sql_unsupported', 'the record as a whole is not a value', {
      position: expression.position,
      hint: `Name a field: ${INPUT}.country or ${INPUT}->'country'.`,
    })
  }
  childrenOf(expression).forEach(refuseWholeValues)
}

function splitOutput({ name, expression }: SelectedOutput, splitter: Splitter): OutputColumn {
  const split = splitter.split(expression)
  const role = split.kind === 'group' ? 'group' : split.kind === 'partial' ? 'aggregate' : 'expression'
  return { name, type: expression.type, role, expression: split }
}

function toGroupColumn(expression: Expression, index: number, outputs: readonly OutputColumn[]): GroupColumn {
  const output = outputs.find((one) => one.expression.kind === 'group' && one.expression.index === index)?.name
  return { column: `k${index}`, expression, type: expression.type, output }
}

function withGroupingBits(expressions: readonly Expression[]): readonly Expression[] {
  return [...expressions, { kind: 'grouping', args: expressions, type: 'bigint', position: 0 }]
}

function toSetPlans(sets: readonly ColumnSet[], columnCount: number): GroupingSetPlan[] {
  return sets.map((columns) => ({ columns, grouping: groupingBits(columns, columnCount) }))
}

function toPartialColumn(
  call: AggregateCall | PartialValue,
  index: number,
  source: SourceRollup | undefined,
): PartialColumn {
  const column = `p${index}`
  if (call.kind === 'partial') {
    assert(source !== undefined, 'only a rollup has partials')
    // what makes the states is the source's
    const { order: _, ...kept } = at(source.plan.ingest.partials, call.index)
    return { ...kept, column, args: [], filter: null }
  }
  const { name, args, filter, distinct, order, type } = call
  const argTypes = args.map((arg) => arg.type)
  return {
    column,
    aggregate: name,
    args,
    argTypes,
    filter,
    distinct,
    ...(order === undefined ? {} : { order }),
    type,
    call: printExpression(call),
  }
}

function toPlanSource({ name }: SourceRollup, partials: readonly (AggregateCall | PartialValue)[]): PlanSource {
  return { rollup: name, partials: partials.flatMap((call) => (call.kind === 'partial' ? [call.index] : [])) }
}

function checkSize(
  groups: readonly Expression[],
  partials: readonly PartialColumn[],
  outputs: readonly OutputColumn[],
): void {
  const size = Math.max(outputs.length, groups.length + partials.length)
  if (size <= COLUMNS_MAX) return
  throw new RollupdError('sql_unsupported', `the rollup has ${size} columns, at most ${COLUMNS_MAX} are allowed`, {
    hint: 'Split it into several rollups on the same topic.',
  })
}

function noGroups(statement: Statement): RollupdError {
  return new RollupdError('sql_invalid', 'the statement has neither an aggregate nor GROUP BY', {
    position: statement.positionOfWord('select') || 1,
    hint: 'A rollup groups records: add GROUP BY or an aggregate such as COUNT(*).',
  })
}
