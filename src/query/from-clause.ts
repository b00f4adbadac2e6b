/** Owns FROM: rollups, subqueries, WITH names and joins, with the names they make. */
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import type { Expression } from '../sql/expression.ts'
import { quoteName } from '../sql/identifier.ts'
import type { JoinExpr, Node, RangeFunction, RangeSubselect, RangeVar } from '../sql/parse-statement.ts'
import { compare } from '../sql/resolve-call.ts'
import { unifyTypes } from '../sql/unify-types.ts'
import { nowhere } from './guard-place.ts'
import { unsupported } from '../sql/unsupported.ts'
import { LateralRelation } from './lateral-relation.ts'
import { type EarlierItems, LateralScope } from './lateral-scope.ts'
import { type CompileContext, type Surroundings } from './compile-context.ts'
import { compileInnerSelect } from './correlated-select.ts'
import { EMPTY_NAMESPACE, joinNamespaces, namespaceOf, type NamedColumn, type Namespace } from './namespace.ts'
import { compileFunction } from './from-function.ts'
import { QueryScope } from './query-scope.ts'
import type { Relation } from './relation.ts'
import { RollupView } from './rollup-view.ts'
import { SelectRelation } from './select-relation.ts'
import { compileView } from './view-relation.ts'
import { nameParts } from '../sql/name-parts.ts'

export interface FromClause {
  readonly namespace: Namespace
  readonly relations: readonly Relation[]
  /** No row is made up for a side without a match: conditions may move between FROM and WHERE. */
  readonly isInner: boolean
  /** It may stand behind a comma without brackets: none of its joins makes rows up for the left side. */
  readonly isChain: boolean
  /** What stands behind FROM; empty where there is no FROM. */
  render(): string
}

const EMPTY: FromClause = { namespace: EMPTY_NAMESPACE, relations: [], isInner: true, isChain: true, render: () => '' }
/** SQLite joins at most 64 tables; each rollup is one. */
const RELATIONS_MAX = 60

export class FromCompiler {
  readonly #context: CompileContext
  readonly #surroundings: Surroundings

  constructor(context: CompileContext, surroundings: Surroundings) {
    this.#context = context
    this.#surroundings = surroundings
  }

  compile(nodes: readonly Node[]): FromClause {
    let joined: FromClause | undefined
    for (const node of nodes) {
      const barrier = isChain(node) ? undefined : 'brackets'
      const item = this.#item(node, joined === undefined ? [] : [{ namespace: joined.namespace, barrier }])
      // comma: a join without a condition
      joined = joined === undefined ? item : combine(joined, item, 'JOIN', undefined, 0)
    }
    if (joined === undefined) return EMPTY
    if (joined.relations.length > RELATIONS_MAX) {
      throw new RollupdError(
        'sql_invalid',
        `FROM has ${joined.relations.length} tables, at most ${RELATIONS_MAX} are allowed`,
      )
    }
    return joined
  }

  #item(node: Node, earlier: readonly EarlierItems[]): FromClause {
    if ('RangeVar' in node) return this.#table(node.RangeVar)
    if ('RangeSubselect' in node) return this.#subselect(node.RangeSubselect, earlier)
    if ('RangeFunction' in node) return this.#function(node.RangeFunction, earlier)
    if ('JoinExpr' in node) return this.#join(node.JoinExpr, earlier)
    const kind = Object.keys(node)[0] ?? ''
    throw unsupported(
      `${ITEM_NAMES[kind] ?? kind} in FROM is not supported`,
      this.#context.positionOf(locationOf(node)),
      kind === 'RangeTableSample' ? 'Choose rows by a condition, such as WHERE hash64(_id) % 10 = 0.' : undefined,
    )
  }

  #table(node: RangeVar): FromClause {
    const position = this.#context.positionOf(node.location)
    const name = node.relname ?? ''
    if (node.schemaname !== undefined) {
      throw new RollupdError('unknown_rollup', `there is no rollup "${node.schemaname}.${name}"`, {
        position,
        hint: 'Rollups have no schema: write the name alone.',
      })
    }
    const alias = this.#context.newAlias('t')
    const cte = this.#surroundings.ctes.find(name)
    const relation = cte?.(alias) ?? this.#stored(name, alias, position)
    return single(renamed(relation, node.alias?.colnames, position), node.alias?.aliasname ?? name)
  }

  #stored(name: string, alias: string, position: number): Relation {
    const view = this.#context.catalog.findView(name)
    if (view !== undefined) return compileView(view, alias, this.#context, position)
    return new RollupView(alias, this.#context.rollup(name, position), false, this.#context.parts)
  }

  #function(node: RangeFunction, earlier: readonly EarlierItems[]): FromClause {
    const { relation, name, position } = compileFunction(node, this.#surroundings, this.#context, earlier)
    const from = renamed(relation, node.alias?.colnames, position)
    return single(from, node.alias?.aliasname ?? name, from.columns.length === 1)
  }

  #subselect({ subquery, alias, lateral }: RangeSubselect, earlier: readonly EarlierItems[]): FromClause {
    assert(subquery !== undefined && 'SelectStmt' in subquery, 'a subquery in FROM is a SELECT')
    const passed =
      lateral === true ? earlier : earlier.map(({ namespace }) => ({ namespace, barrier: 'subquery' }) as const)
    const parts = { context: this.#context, surroundings: this.#surroundings }
    const outer = new LateralScope('a subquery in FROM', parts, passed)
    const plan = compileInnerSelect(subquery.SelectStmt, { ctes: this.#surroundings.ctes, outer }, this.#context)
    const name = this.#context.newAlias('t')
    const relation = outer.wasRead
      ? new LateralRelation(name, plan, this.#context)
      : new SelectRelation(name, plan, plan.columns)
    return single(
      renamed(relation, alias?.colnames, this.#context.positionWithin(subquery)),
      alias?.aliasname ?? `?${relation.alias}`,
    )
  }

  #join(node: JoinExpr, earlier: readonly EarlierItems[]): FromClause {
    assert(node.larg !== undefined && node.rarg !== undefined, 'a join has two sides')
    const left = this.#item(node.larg, earlier)
    const right = this.#item(node.rarg, beforeRight(node, left, earlier))
    if (node.alias !== undefined)
      throw unsupported(
        'an alias of a join is not supported',
        this.#context.positionWithin(node),
        'Give each of its tables an alias.',
      )
    const kind = JOIN_KINDS[node.jointype ?? 'JOIN_INNER']
    if (kind === undefined) throw unsupported(`${node.jointype} is not supported`, this.#context.positionWithin(node))
    const position = node.quals === undefined ? 0 : this.#context.positionOf(locationOf(node.quals))
    const using = node.usingClause === undefined ? undefined : nameParts(node.usingClause)
    const names = node.isNatural === true ? commonNames(left.namespace, right.namespace) : using
    if (names !== undefined) return this.#joinUsing(left, right, kind, names)
    const joined = combine(left, right, kind, undefined, position)
    if (node.quals === undefined) return joined
    return combine(left, right, kind, this.#condition(node.quals, joined.namespace), position)
  }

  #condition(quals: Node, namespace: Namespace): string {
    const scope = new QueryScope('ON', { context: this.#context, namespace, surroundings: this.#surroundings })
    const condition = this.#context.analyser(scope).analyseCondition(quals, 'ON')
    return this.#context.conditions.print(condition, nowhere('ON'))
  }

  #joinUsing(left: FromClause, right: FromClause, kind: string, names: readonly string[]): FromClause {
    const conditions: string[] = []
    const merged: NamedColumn[] = []
    for (const name of names) {
      const [one, other] = [left, right].map(({ namespace }) => onlyNamed(namespace, name)) as [
        NamedColumn,
        NamedColumn,
      ]
      const equality = compare('=', one.expression(0), other.expression(0), 0)
      conditions.push(this.#context.conditions.print(equality, nowhere('USING')))
      merged.push({ name, hidden: false, expression: mergedExpression(kind, name, one, other) })
    }
    const both = combine(left, right, kind, conditions.length === 0 ? undefined : conditions.join(' AND '), 0)
    const others = both.namespace.columns.filter(({ name }) => !names.includes(name))
    return { ...both, namespace: { tables: both.namespace.tables, columns: [...merged, ...others] } }
  }
}

/** What the right side of a join has before it. */
function beforeRight(
  { jointype, rarg }: JoinExpr,
  left: FromClause,
  earlier: readonly EarlierItems[],
): readonly EarlierItems[] {
  const all = [...earlier, { namespace: left.namespace, barrier: undefined }]
  const keepsRight = jointype === 'JOIN_RIGHT' || jointype === 'JOIN_FULL'
  const barrier = keepsRight ? 'join' : rarg !== undefined && 'JoinExpr' in rarg ? 'brackets' : undefined
  return barrier === undefined ? all : all.map((one) => ({ ...one, barrier: one.barrier ?? barrier }))
}

/** Whether a join may stand behind a comma without brackets: one of the left sides of its joins is kept alone by none. */
function isChain(node: Node): boolean {
  if (!('JoinExpr' in node)) return true
  const { jointype = 'JOIN_INNER', larg } = node.JoinExpr
  return (jointype === 'JOIN_INNER' || jointype === 'JOIN_LEFT') && (larg === undefined || isChain(larg))
}

const ITEM_NAMES: Readonly<Record<string, string>> = {
  RangeTableSample: 'TABLESAMPLE',
  RangeTableFunc: 'XMLTABLE',
  JsonTable: 'JSON_TABLE',
}

const JOIN_KINDS: Readonly<Record<string, string>> = {
  JOIN_INNER: 'JOIN',
  JOIN_LEFT: 'LEFT JOIN',
  JOIN_RIGHT: 'RIGHT JOIN',
  JOIN_FULL: 'FULL JOIN',
}

/** FROM of one relation. */
export function single(relation: Relation, name: string, isValue = false): FromClause {
  return {
    namespace: namespaceOf(name, relation, isValue),
    relations: [relation],
    isInner: true,
    isChain: true,
    render: () => relation.render(),
  }
}

function combine(
  left: FromClause,
  right: FromClause,
  kind: string,
  condition: string | undefined,
  position: number,
): FromClause {
  const on = condition === undefined ? (kind === 'JOIN' ? '' : ' ON 1') : ` ON ${condition}`
  return {
    namespace: joinNamespaces(left.namespace, right.namespace, position),
    relations: [...left.relations, ...right.relations],
    isInner: kind === 'JOIN' && left.isInner && right.isInner,
    isChain: left.isChain && (kind === 'JOIN' || kind === 'LEFT JOIN'),
    render: () => {
      // LATERAL can't reach out of brackets
      const isBare = right.relations.length === 1 || (kind === 'JOIN' && condition === undefined && right.isChain)
      const side = !isBare ? `(${right.render()})` : right.render()
      return `${left.render()} ${kind} ${side}${on}`
    },
  }
}

/** The side that has the value: both in an inner join, the kept one in an outer join, whichever isn't NULL in a full one. */
function mergedExpression(
  kind: string,
  name: string,
  left: NamedColumn,
  right: NamedColumn,
): (position: number) => Expression {
  if (kind === 'RIGHT JOIN') return right.expression
  if (kind !== 'FULL JOIN') return left.expression
  return (position) => {
    const sides = [left.expression(position), right.expression(position)]
    const { type, expressions } = unifyTypes(`USING (${quoteName(name)})`, sides, position)
    return { kind: 'coalesce', args: expressions, type, position }
  }
}

function onlyNamed({ columns }: Namespace, name: string): NamedColumn {
  const [column, ...more] = columns.filter((one) => one.name === name)
  if (column !== undefined && more.length === 0) return column
  if (column !== undefined) throw new RollupdError('sql_ambiguous', `the column "${name}" of USING is ambiguous`)
  throw new RollupdError('sql_unknown_column', `the column "${name}" of USING is not on both sides of the join`)
}

function commonNames(left: Namespace, right: Namespace): readonly string[] {
  const names = right.columns.filter(({ hidden }) => !hidden).map(({ name }) => name)
  return left.columns.flatMap(({ name, hidden }) => (!hidden && names.includes(name) ? [name] : []))
}

/** FROM r AS x (a, b): new names for the first columns. */
function renamed(relation: Relation, names: readonly Node[] | undefined, position: number): Relation {
  if (names === undefined || names.length === 0) return relation
  const given = nameParts(names)
  const visible = relation.columns.filter(({ hidden }) => !hidden).length
  if (given.length > visible) {
    throw new RollupdError('sql_invalid', `${given.length} column names are given for ${visible} columns`, { position })
  }
  const columns = relation.columns.map((column, index) => ({ ...column, name: given[index] ?? column.name }))
  return {
    alias: relation.alias,
    columns,
    column: (index, at) => relation.column(index, at),
    measureSource: (index) => relation.measureSource?.(index),
    groupSource: () => relation.groupSource?.(),
    deferHaving: () => relation.deferHaving?.(),
    render: () => relation.render(),
  }
}
