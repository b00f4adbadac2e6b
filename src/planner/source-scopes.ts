/**
 * Owns what the clauses of a rollup of a rollup may name: the source's grouping values and what it computes of them, and in SELECT and
 * HAVING its columns inside MEASURE. Grouping values and states of the source stand as `group` and `partial` nodes of its own numbers
 * until the statement is split.
 */
import { RollupdError } from '../core/errors.ts'
import { childrenOf, type Expression } from '../sql/expression.ts'
import { pathOf } from '../sql/name-parts.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { Statement } from '../sql/parse-statement.ts'
import { followSteps } from '../sql/resolve-call.ts'
import type { CallSite, NamePath, Scope } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { isAggregateName } from './choose-aggregate.ts'
import { analyseGrouping, GROUPING_COLUMN, refuseGrouping } from './grouping-call.ts'
import { MEASURE } from './measure-name.ts'
import type { RollupPlan } from './plan.ts'
import { readFrom } from './rollup-clauses.ts'
import type { StatementScopes } from './statement-scopes.ts'

/** A rollup that another one reads. */
export interface SourceRollup {
  readonly name: string
  readonly plan: RollupPlan
}

export function createSourceScopes(statement: Statement, source: SourceRollup): StatementScopes {
  const alias = readFrom(statement, source.name)
  const columns = new SourceColumns(source, [source.name, ...(alias === undefined ? [] : [alias])])
  const scope = (clause: string, measures: boolean): Scope => ({
    clause,
    callNames: [MEASURE],
    column: (path, position) => columns.value(path, position),
    call: (site) => treatCall(site, clause, columns, measures),
    node: (node, position, analyser) => {
      if (!('GroupingFunc' in node)) return undefined
      if (!measures) refuseGrouping(clause, position)
      return analyseGrouping(node.GroupingFunc, position, analyser, statement, groupBy)
    },
  })
  const groupBy = scope('GROUP BY', false)
  return {
    where: scope('WHERE', false),
    groupBy,
    having: scope('HAVING', true),
    outputs: scope('SELECT', true),
    from: source.name,
    names: { group: (index) => columns.nameOf(index) },
    isOfName: (leaf, name) => leaf.kind === 'group' && columns.nameOf(leaf.index) === name,
  }
}

function treatCall(site: CallSite, clause: string, columns: SourceColumns, measures: boolean): Expression | undefined {
  const { name, node, position } = site
  if (name === MEASURE) {
    if (!measures) {
      throw new RollupdError('sql_invalid', `MEASURE is an aggregate and not allowed in ${clause}`, {
        position,
        hint: 'WHERE and GROUP BY take grouping columns; write HAVING for conditions on aggregates.',
      })
    }
    return columns.measure(site)
  }
  if (!isAggregateName(name)) return undefined
  const written = `${name.toUpperCase()}${node.agg_star === true ? '(*)' : ''}`
  throw unsupported(
    `${written} is not allowed in a rollup of a rollup`,
    position,
    `Its rows are groups that grow: MEASURE(column) merges the states of ${columns.names.join(', ')}.`,
  )
}

class SourceColumns {
  readonly #source: SourceRollup
  readonly #tables: readonly string[]

  constructor(source: SourceRollup, tables: readonly string[]) {
    this.#source = source
    this.#tables = tables
  }

  get names(): readonly string[] {
    return this.#source.plan.wrap.outputs.map(({ name }) => name)
  }

  /** Of a grouping column. */
  nameOf(group: number): string {
    const { groupBy, groupingSets } = this.#source.plan.ingest
    const isBits = groupingSets !== undefined && group === groupBy.length - 1
    return groupBy[group]?.output ?? (isBits ? GROUPING_COLUMN : `k${group}`)
  }

  value(path: NamePath, position: number): Expression {
    const { expression, rest } = this.#find(path, position)
    if (holdsPartial(expression)) {
      const written = path.join('.')
      throw new RollupdError('sql_invalid', `"${written}" is made of aggregates of ${this.#source.name}`, {
        position,
        hint: `MEASURE(${written}) in SELECT or HAVING merges its states; WHERE and GROUP BY take grouping columns.`,
      })
    }
    return followSteps(expression, rest, position)
  }

  measure({ node, position, analyser }: CallSite): Expression {
    const { args = [], agg_filter: filter, agg_distinct: distinct, agg_order: order, over } = node
    const [argument, ...more] = args
    if (filter !== undefined || distinct === true || order !== undefined || over !== undefined) {
      throw unsupported(
        'MEASURE takes no FILTER, DISTINCT, ORDER BY or OVER in a rollup',
        position,
        'WHERE chooses groups.',
      )
    }
    if (argument === undefined || more.length > 0 || !('ColumnRef' in argument)) {
      throw new RollupdError('sql_invalid', `MEASURE takes one column of ${this.#source.name}`, {
        position,
        hint: 'Compute with its result instead: MEASURE(a) / MEASURE(b).',
      })
    }
    const [first = '', ...others] = pathOf(argument.ColumnRef)
    const argumentPosition = analyser.positionOf(argument.ColumnRef.location)
    const { expression, rest } = this.#find([first, ...others], argumentPosition)
    return followSteps(expression, rest, argumentPosition)
  }

  #find(path: NamePath, position: number): { readonly expression: Expression; readonly rest: NamePath[number][] } {
    const [head, second, ...more] = path
    const isQualified = this.#tables.includes(head) && typeof second === 'string'
    const name = isQualified ? second : head
    const found = this.#output(name)
    if (found !== undefined) return { expression: { ...found, position }, rest: isQualified ? more : path.slice(1) }
    throw new RollupdError('sql_unknown_column', `the rollup "${this.#source.name}" has no column "${name}"`, {
      position,
      hint: didYouMean(name, this.names) ?? `Its columns are ${this.names.join(', ')}.`,
    })
  }

  #output(name: string): Expression | undefined {
    const { wrap, ingest } = this.#source.plan
    const output = wrap.outputs.find((one) => one.name === name)
    if (output !== undefined || name !== GROUPING_COLUMN || ingest.groupingSets === undefined) return output?.expression
    return { kind: 'group', index: ingest.groupBy.length - 1, type: 'bigint', position: 0 }
  }
}

function holdsPartial(expression: Expression): boolean {
  return expression.kind === 'partial' || childrenOf(expression).some(holdsPartial)
}

/**
 * Refuses a source with grouping sets without a condition that leaves groups of one set: those of two hold the same records. `groups` are
 * the statement's grouping expressions. Errors: sql_invalid, sql_unsupported.
 */
export function requireOneSet(source: SourceRollup, where: Expression | null, groups: readonly Expression[]): void {
  const { groupBy, groupingSets } = source.plan.ingest
  if (groupingSets === undefined) return
  const bits = groupBy.length - 1
  const all = groupingSets.map(({ grouping }) => grouping)
  const isBits = (expression: Expression | undefined): boolean =>
    expression?.kind === 'group' && expression.index === bits
  const chosen = conjunctsOf(where).flatMap((condition) => {
    if (condition.kind !== 'call' || condition.function !== 'equal') return []
    const [left, right] = condition.args
    const other = isBits(left) ? right : isBits(right) ? left : undefined
    return other?.kind === 'literal' ? [Number(other.value)] : []
  })
  const written = (grouping: number): number => all.filter((one) => one === grouping).length
  if (chosen.some((grouping) => written(grouping) <= 1)) return
  if (groups.some(isBits) && all.every((grouping) => written(grouping) === 1)) return
  const name = groupBy[bits]?.output ?? GROUPING_COLUMN
  throw new RollupdError(
    'sql_invalid',
    `the rollup "${source.name}" has grouping sets, whose groups hold the same records: a rollup of it needs a filter on GROUPING`,
    {
      position: where?.position ?? 1,
      hint: `Write WHERE ${name} = 0 for the groups by all of its columns, or group by ${name}; a set that is written twice can't be read.`,
    },
  )
}

function conjunctsOf(where: Expression | null): readonly Expression[] {
  if (where === null) return []
  return where.kind === 'and' ? where.args.flatMap(conjunctsOf) : [where]
}
