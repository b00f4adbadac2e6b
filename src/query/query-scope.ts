/**
 * Owns what an expression of a query may name: columns of FROM, those of the queries around it, parameters, subqueries, and, where
 * the clause allows them, aggregates.
 */
import { RollupdError } from '../core/errors.ts'
import { isAggregateName } from '../planner/choose-aggregate.ts'
import type { Expression } from '../sql/expression.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { ColumnRef, Node, SubLink } from '../sql/parse-statement.ts'
import { followSteps } from '../sql/resolve-call.ts'
import type { Analyser, CallSite, NamePath } from '../sql/scope.ts'
import { analyseRowAggregate, refuseAggregate } from './aggregate-call.ts'
import { isWindowFunction, windowFunctionNames } from '../sql/refused-functions.ts'
import { MEASURE } from '../planner/measure-name.ts'
import { isExtremeOfStates } from './folded-call.ts'
import { analyseMeasure } from './measure-call.ts'
import { isPartsFunction } from './json-parts-relation.ts'
import { findColumn } from './namespace.ts'
import { analyseGroupingCall } from './query-grouping-sets.ts'
import { isSameNode } from './same-node.ts'
import { type CallScope, type GroupItem, type Grouping, type ScopeParts } from './scope-parts.ts'
import { analyseSubquery } from './subquery-expression.ts'
import { pathOf } from '../sql/name-parts.ts'
import { unsupported } from '../sql/unsupported.ts'
import { GENERATE_SERIES } from './series-table.ts'
import { analyseWindowCall } from './window-call.ts'
import type { WindowClause } from './window-clause.ts'

export class QueryScope implements CallScope {
  readonly clause: string
  readonly parts: ScopeParts
  /** Undefined: rows, not groups. */
  readonly grouping: Grouping | undefined
  readonly windows: WindowClause | undefined
  readonly reads = { own: false, outer: false }
  readonly #takesAggregates: boolean
  readonly callNames: readonly string[]

  constructor(clause: string, parts: ScopeParts, grouping?: Grouping, windows?: WindowClause) {
    this.clause = clause
    this.parts = parts
    this.grouping = grouping
    this.windows = windows
    this.#takesAggregates = grouping !== undefined
    this.callNames = [MEASURE, ...(windows === undefined ? [] : windowFunctionNames())]
  }

  /** The same names, rows instead of groups: arguments of aggregates. */
  ofRows(clause: string): QueryScope {
    return new QueryScope(clause, this.parts)
  }

  withoutWindows(clause: string): QueryScope {
    return new QueryScope(clause, this.parts, this.grouping)
  }

  column(path: NamePath, position: number): Expression {
    const found = findColumn(this.parts.namespace, path, position)
    if (found === undefined) return this.#outerColumn(path, position)
    this.reads.own = true
    const { column, rest } = found
    const expression = column.expression(position)
    if (this.grouping !== undefined && !this.#isGrouped(expression)) throw notGrouped(path, this.clause, position)
    return followSteps(expression, rest, position)
  }

  hasColumn(path: readonly (string | number)[]): boolean {
    return (
      findColumn(this.parts.namespace, path, 0) !== undefined || this.parts.surroundings.outer?.hasColumn(path) === true
    )
  }

  columnNames(): readonly string[] {
    const { namespace, surroundings } = this.parts
    return [...namespace.columns.map(({ name }) => name), ...(surroundings.outer?.columnNames() ?? [])]
  }

  call(site: CallSite): Expression | undefined {
    if (site.node.over !== undefined || isWindowFunction(site.name)) return analyseWindowCall(site, this)
    if (site.name === MEASURE) {
      if (!this.#takesAggregates) throw refuseAggregate('MEASURE', this.clause, site.position)
      return analyseMeasure(site, this)
    }
    if (site.name === GENERATE_SERIES || isPartsFunction(site.name))
      throw unsupported(`${site.name} stands in FROM only`, site.position, `Write FROM ..., ${site.name}(...) AS x.`)
    if (!isAggregateName(site.name)) return undefined
    if (!this.#takesAggregates) throw refuseAggregate(site.name, this.clause, site.position)
    return isExtremeOfStates(site, this) ? analyseMeasure(site, this) : analyseRowAggregate(site, this)
  }

  parameter(number: number, position: number): Expression {
    return this.parts.context.parameter(number, position)
  }

  subquery(node: SubLink, position: number, analyser: Analyser): Expression {
    return analyseSubquery(node, position, analyser, this)
  }

  /** A whole grouping expression has one value per group. */
  node(node: Node, position: number): Expression | undefined {
    if ('GroupingFunc' in node) {
      if (this.grouping === undefined) throw refuseGrouping(this.clause, position)
      return analyseGroupingCall(node.GroupingFunc, position, this.grouping, (one) => this.#itemOf(one))
    }
    return 'A_Const' in node ? undefined : this.#itemOf(node)?.expression
  }

  #itemOf(node: Node): GroupItem | undefined {
    return this.grouping?.items.find((one) => isSameNode(one.node, node, (a, b) => this.#isSameColumn(a, b)))
  }

  #isGrouped(expression: Expression): boolean {
    const text = this.parts.context.printer.print(expression)
    return this.grouping?.items.some((item) => this.parts.context.printer.print(item.expression) === text) === true
  }

  #isSameColumn(left: ColumnRef, right: ColumnRef): boolean {
    const [a, b] = [left, right].map((ref) => findColumn(this.parts.namespace, pathOf(ref), 0))
    if (a === undefined || b === undefined || a.rest.join('\0') !== b.rest.join('\0')) return false
    const [one, other] = [a.column.source, b.column.source]
    if (one === undefined || other === undefined) return a.column === b.column
    return one.relation === other.relation && one.index === other.index
  }

  #outerColumn(path: NamePath, position: number): Expression {
    const { namespace, surroundings } = this.parts
    if (surroundings.outer?.hasColumn(path) === true) {
      this.reads.outer = true
      return surroundings.outer.column(path, position)
    }
    const [first, second] = path
    const table = second === undefined ? undefined : namespace.tables.find(({ name }) => name === first)
    const names = table === undefined ? this.columnNames() : table.relation.columns.map(({ name }) => name)
    const name = String(table === undefined ? first : second)
    const where = table === undefined ? '' : ` of "${table.name}"`
    throw new RollupdError('sql_unknown_column', `there is no column "${name}"${where}`, {
      position,
      hint: didYouMean(name, names) ?? hintOf(name, names),
    })
  }
}

function refuseGrouping(clause: string, position: number): RollupdError {
  return new RollupdError('sql_invalid', `GROUPING is not allowed in ${clause}`, {
    position,
    hint: 'It stands in SELECT, HAVING and ORDER BY of a SELECT with GROUP BY.',
  })
}

const NAMES_LISTED_MAX = 20

function hintOf(name: string, names: readonly string[]): string | undefined {
  const areListed = names.length > 0 && names.length <= NAMES_LISTED_MAX
  const hints = [...quotesHint(name), ...(areListed ? [`The columns are ${names.join(', ')}.`] : [])]
  return hints.length === 0 ? undefined : hints.join(' ')
}

/** A name that only double quotes allow may have been meant as a text. */
function quotesHint(name: string): string[] {
  if (/^[\p{Ll}_][\p{Ll}\p{N}_$]*$/u.test(name)) return []
  return [`Double quotes make it a name; a text stands in single quotes: '${name.replaceAll("'", "''")}'.`]
}

function notGrouped(path: NamePath, clause: string, position: number): RollupdError {
  const name = path.filter((part) => typeof part === 'string').join('.')
  return new RollupdError(
    'sql_invalid',
    `the column "${name}" in ${clause} is neither grouped nor inside an aggregate`,
    {
      position,
      hint: `Add it to GROUP BY, or use an aggregate such as MAX(${name}) or MEASURE(${name}).`,
    },
  )
}
