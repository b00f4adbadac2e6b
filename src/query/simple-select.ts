/** Owns one SELECT ... FROM ... WHERE ... GROUP BY ... HAVING ... ORDER BY ... LIMIT, without set operations. */
import { toSortTerm } from './sqlite-text.ts'
import { at } from '../core/assert.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { giveType, isOpen, settle } from '../sql/literal.ts'
import type { Expression } from '../sql/expression.ts'
import type { Node, SelectStmt } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import { nowhere, toGuardPlace } from './guard-place.ts'
import { type CompileContext, type Surroundings } from './compile-context.ts'
import { foldedRollupOf } from './folded-rollup.ts'
import { compileFolded } from './folded-select.ts'
import { analyseFoldedWhere } from './folded-where.ts'
import { FromCompiler, type FromClause } from './from-clause.ts'
import { compileGrouping } from './grouping.ts'
import { compileLimit, type RowLimit } from './order-by.ts'
import { NotFolded } from './not-folded.ts'
import { QueryScope } from './query-scope.ts'
import { refuseForms } from './select-forms.ts'
import type { GroupingSets } from './query-grouping-sets.ts'
import { limitText, rankedText } from './ranked-rows.ts'
import type { Grouping } from './scope-parts.ts'
import type { GroupSource, MeasureSource } from './relation.ts'
import type { PlanColumn, RowLabels, SelectPlan } from './select-plan.ts'
import { compileSort, type Sorting } from './sort-clause.ts'
import { expandTargets, type Output } from './target-list.ts'
import { WindowClause } from './window-clause.ts'

export function compileSimpleSelect(
  select: SelectStmt,
  surroundings: Surroundings,
  context: CompileContext,
): SelectPlan {
  refuseForms(select, context)
  const compile = (from: FromClause): SelectPlan => new SimpleSelect(select, from, surroundings, context)
  return (
    compileFolded(select, surroundings, context, compile) ??
    compile(new FromCompiler(context, surroundings).compile(select.fromClause ?? []))
  )
}

class SimpleSelect implements SelectPlan {
  readonly columns: readonly PlanColumn[]
  readonly isPlain: boolean
  readonly isSingleRow: boolean
  readonly #context: CompileContext
  readonly #from: FromClause
  readonly #where: string | undefined
  readonly #grouping: Grouping | undefined
  readonly #groupKeys: readonly string[]
  readonly #having: string | undefined
  readonly #outputs: readonly Output[]
  readonly #distinct: boolean
  readonly #sorting: Sorting
  /** Where rows aren't ranked. */
  readonly #orderBy: readonly string[]
  readonly #limit: RowLimit
  #types: readonly ScalarType[]
  /** Its rows are compared by a set operation. */
  #comparesRows = false
  /** Columns behind the outputs: their texts, exported as h0, h1, ... */
  readonly #hidden: string[] = []

  constructor(select: SelectStmt, from: FromClause, surroundings: Surroundings, context: CompileContext) {
    this.#context = context
    this.#from = from
    const parts = { context, namespace: this.#from.namespace, surroundings }
    this.#where = this.#whereText(select, new QueryScope('WHERE', parts))
    const targets = expandTargets(select.targetList ?? [], this.#from.namespace, (location) =>
      context.positionOf(location),
    )
    this.#grouping = compileGrouping(select, targets, parts)
    if (this.#grouping === undefined && foldedRollupOf(this.#from.namespace) !== undefined) throw new NotFolded()
    this.#groupKeys = this.#toGroupKeys()
    const windows = new WindowClause(select.windowClause ?? [], context)
    const analyser = context.analyser(new QueryScope('SELECT', parts, this.#grouping, windows))
    windows.check(analyser.within(new QueryScope('WINDOW', parts, this.#grouping)))
    this.#outputs = targets.map(({ name, node, source }) => {
      const written = analyser.analyse(node)
      return { name, source, expression: settle(written), open: isOpen(written) ? written : undefined }
    })
    this.#types = this.#outputs.map(({ expression }) => expression.type)
    this.columns = this.#outputs.map(({ name, expression, open }) => ({
      name,
      type: expression.type,
      canFail: context.printer.canFail(expression),
      open,
    }))
    const having = context.analyser(new QueryScope('HAVING', parts, this.#grouping))
    this.#having =
      select.havingClause === undefined
        ? undefined
        : context.conditions.print(having.analyseCondition(select.havingClause, 'HAVING'), nowhere('HAVING'))
    const { distinctClause = [] } = select
    const distinctKeys = distinctClause.filter((node) => Object.keys(node).length > 0)
    this.#distinct = distinctClause.length > 0 && distinctKeys.length === 0
    const sorting = {
      outputs: this.#outputs,
      analyser: context.analyser(new QueryScope('ORDER BY', parts, this.#grouping, windows)),
      context,
      isDistinct: this.#distinct,
      place: (clause: string) => (this.#grouping === undefined ? this.#place(clause) : nowhere(clause)),
    }
    this.#sorting = compileSort(select, distinctKeys, sorting)
    this.#limit = compileLimit(
      select,
      context,
      context.analyser(new QueryScope('LIMIT', { ...parts, namespace: { tables: [], columns: [] } })),
    )
    this.#orderBy = this.#isRanked() ? [] : this.#orderTexts()
    const { count, withTies } = this.#limit
    this.isPlain = !this.#isRanked() && this.#sorting.values.length === 0 && limitText(this.#limit) === ''
    this.isSingleRow = (!withTies && (count === '0' || count === '1')) || this.#isOneGroup()
    this.#noteHiddenGroups()
  }

  coerce(types: readonly ScalarType[], comparesRows: boolean): void {
    this.#types = types
    this.#comparesRows ||= comparesRows
  }

  measureSource(index: number): MeasureSource | undefined {
    const { source } = at(this.#outputs, index)
    if (source === undefined || !this.#givesRowsOfFrom()) return undefined
    const inner = source.relation.measureSource?.(source.index)
    if (inner === undefined) return undefined
    const { groupingSet } = inner
    return {
      ...inner,
      mayRepeat: inner.mayRepeat || this.#from.relations.length > 1,
      identity: () => this.#export(inner.identity()),
      states: (partial) => inner.states(partial).map((text) => this.#export(text)),
      groupingSet: groupingSet && { ...groupingSet, text: () => this.#export(groupingSet.text()) },
      group: (group) => {
        const value = inner.group(group)
        const output = this.#outputs.findIndex(
          ({ expression }) => expression.kind === 'fragment' && expression.sql === value?.sql,
        )
        return value === undefined || output < 0 ? undefined : { ...value, sql: `c${output}` }
      },
    }
  }

  groupSource(): GroupSource | undefined {
    const isOne = this.#givesRowsOfFrom() && this.#from.relations.length === 1
    const source = isOne ? this.#from.relations[0]?.groupSource?.() : undefined
    return source === undefined
      ? undefined
      : { columns: source.columns, texts: () => source.texts().map((text) => this.#export(text)) }
  }

  addRowLabels(): RowLabels {
    if (this.#distinct) return []
    if (this.#grouping !== undefined) {
      const { items } = this.#grouping
      for (const { expression } of items) this.#export(this.#groupText(expression))
      return items.map(({ name, expression }) => ({ name, type: expression.type }))
    }
    const { tables } = this.#from.namespace
    return tables.flatMap(({ name, relation }) => {
      const source = relation.groupSource?.()
      for (const text of source?.texts() ?? []) this.#hidden.push(text)
      const columns = source?.columns ?? []
      return tables.length === 1 ? columns : columns.map((column) => ({ ...column, name: `${name}.${column.name}` }))
    })
  }

  render(): string {
    const texts = this.#outputs.map((output, index) => this.#outputText(output, at(this.#types, index)))
    const outputs = texts.map((text, index) => `${index === 0 ? this.#besideHaving(text) : text} AS c${index}`)
    const hidden = this.#hidden.map((text, index) => `${text} AS h${index}`)
    if (!this.#isRanked()) return `${this.#rows([...outputs, ...hidden])}${this.#tail()}`
    const keys = this.#sorting.distinctOn.map((text, index) => `${text} AS k${index}`)
    const sorts = this.#sorting.values.map(({ text }, index) => `${text} AS s${index}`)
    return rankedText({
      rows: this.#rows([...outputs, ...hidden, ...keys, ...sorts]),
      columns: [...outputs.map((_, index) => `c${index}`), ...hidden.map((_, index) => `h${index}`)],
      keyCount: keys.length,
      directions: this.#sorting.values.map(({ direction }) => direction),
      limit: this.#limit,
    })
  }

  #rows(columns: readonly string[]): string {
    const sets = this.#grouping?.sets
    const rows = `SELECT ${this.#distinct ? 'DISTINCT ' : ''}${columns.join(', ')}${this.#body(sets)}`
    const groups = `${rows}${this.#groupBy()}`
    if (sets === undefined || sets.emptyCount === 0) return groups
    // the groups of no expression are there without any row too: then these are all that there are
    const having = this.#having === undefined ? '' : ` AND (${this.#having})`
    const totals = Array.from({ length: sets.emptyCount }, () => `${rows} HAVING count(*) = 0${having}`)
    return [groups, ...totals].join(this.#distinct ? ' UNION ' : ' UNION ALL ')
  }

  #isRanked(): boolean {
    const hasTotals = (this.#grouping?.sets?.emptyCount ?? 0) > 0
    return hasTotals || this.#sorting.distinctOn.length > 0 || this.#limit.withTies
  }

  /** SQLite takes HAVING without GROUP BY only where an output holds an aggregate. */
  #besideHaving(output: string): string {
    const isNeeded = (this.#having !== undefined && this.#isOneGroup()) || (this.#grouping?.sets?.emptyCount ?? 0) > 0
    return isNeeded ? `CASE WHEN count(*) IS NOT NULL THEN ${output} END` : output
  }

  #isOneGroup(): boolean {
    return this.#grouping?.items.length === 0 && this.#grouping.sets === undefined
  }

  /** SQLite compares cells by their bytes: only an interval's key bytes are equal where the intervals are. */
  #outputText({ expression, open }: Output, type: ScalarType): string {
    const { printer } = this.#context
    const text = printer.printAs(open === undefined ? expression : giveType(open, type), type)
    return type === 'interval' && (this.#distinct || this.#comparesRows) ? printer.printKey(text, type) : text
  }

  /** From FROM to WHERE. */
  #body(sets?: GroupingSets): string {
    const rows = this.#from.render()
    const from = sets === undefined ? rows : rows === '' ? sets.tableText : `${rows}${sets.joinText}`
    return `${from === '' ? '' : ` FROM ${from}`}${this.#where === undefined ? '' : ` WHERE ${this.#where}`}`
  }

  #groupBy(): string {
    const groupBy = this.#groupKeys.length === 0 ? '' : ` GROUP BY ${this.#groupKeys.join(', ')}`
    return `${groupBy}${this.#having === undefined ? '' : ` HAVING ${this.#having}`}`
  }

  #tail(): string {
    return `${this.#orderBy.length === 0 ? '' : ` ORDER BY ${this.#orderBy.join(', ')}`}${limitText(this.#limit)}`
  }

  /** Reading a key of the leaf's table makes FROM export it: before anything is rendered. */
  #orderTexts(): string[] {
    return this.#sorting.values.map(
      ({ text, output, direction, isOutput }) =>
        this.#bucketOrder(text, direction) ?? `${isOutput ? `c${output}` : text}${direction}`,
    )
  }

  #toGroupKeys(): readonly string[] {
    const items = this.#grouping?.items ?? []
    // a bare number would be an ordinal: constants don't tell groups apart
    const keys = items.flatMap(({ expression }) => (expression.kind === 'literal' ? [] : [this.#groupKey(expression)]))
    const sets = this.#grouping?.sets
    if (sets !== undefined) return [sets.numberText, ...keys]
    return keys.length === 0 && items.length > 0 ? ['NULL'] : keys
  }

  /**
   * A time groups as its bucket, which the primary key orders. For others the plus keeps SQLite from reading all groups in an index's
   * order, a look-up in the table for each, when a sort of what WHERE leaves is cheaper (measured: half the time over all groups).
   */
  #groupKey(expression: Output['expression']): string {
    const text = this.#groupText(expression)
    const path = this.#context.parts.paths.get(text)
    if (path?.kind === 'bucket' && this.#from.isInner) return path.bucket()
    return /^\w+\.\w+$/.test(text) ? `+${text}` : toSortTerm(expression, text)
  }

  #groupText(expression: Output['expression']): string {
    return this.#context.printer.print(expression)
  }

  /** WHERE, and behind it what HAVING of the rollups couldn't decide without failing. */
  #whereText({ whereClause }: SelectStmt, scope: QueryScope): string | undefined {
    const where = whereClause === undefined ? [] : this.#analyseWhere(whereClause, this.#context.analyser(scope))
    const deferred = this.#from.isInner
      ? this.#from.relations.flatMap((relation) => relation.deferHaving?.() ?? [])
      : []
    const args = [...where, ...deferred.map(({ condition }) => condition)]
    if (args.length === 0) return undefined
    const what = [...where.map(() => 'WHERE'), ...deferred.map((having) => having.what)].join(' or ')
    return this.#context.conditions.print({ kind: 'and', args, type: 'boolean', position: 0 }, this.#place(what))
  }

  #analyseWhere(clause: Node, analyser: Analyser): Expression[] {
    const folded = foldedRollupOf(this.#from.namespace)
    if (folded !== undefined) return analyseFoldedWhere(clause, analyser, folded, this.#context)
    return [analyser.analyseCondition(clause, 'WHERE')]
  }

  /** A time that leads the primary key is sorted by the key, unless NULLs stand elsewhere there. */
  #bucketOrder(text: string, direction: string): string | undefined {
    const { parts, catalog } = this.#context
    const path = parts.paths.get(text)
    if (path?.kind !== 'bucket' || this.#grouping !== undefined || this.#distinct) return undefined
    if (this.#from.relations.length !== 1 || catalog.hasNullBucket(path.rollup)) return undefined
    return `${path.bucket()}${direction.slice(0, direction.indexOf(' NULLS'))}`
  }

  #place(what: string): ReturnType<typeof toGuardPlace> {
    return toGuardPlace(what, this.#from.relations)
  }

  #givesRowsOfFrom(): boolean {
    return this.#grouping === undefined && !this.#distinct
  }

  /** The name of a hidden column with that text. */
  #export(text: string): string {
    const known = this.#hidden.indexOf(text)
    return `h${known < 0 ? this.#hidden.push(text) - 1 : known}`
  }

  /** After the statement it is counted which of the rows that MEASURE could have merged are hidden. */
  #noteHiddenGroups(): void {
    for (const [hiding, identity] of this.#grouping?.measured ?? []) {
      const counted = identity === undefined ? '*' : `DISTINCT ${identity}`
      this.#context.hiddenGroups.push({ hiding, sqlText: () => `SELECT count(${counted})${this.#body()}` })
    }
  }
}
