/**
 * Owns the wrap half as SQLite text: a rollup is a view over its group table, with its finished columns and HAVING applied, plus
 * `_id`. Grouping values, and aggregates whose state is their finished value, stand as the plain columns that they are, so
 * that keys and indexes of the leaf serve conditions on them; other aggregates are finalized by functions. Only what the
 * statement reads is written.
 */
import { assert, at } from '../core/assert.ts'
import { LEAF_COLUMN } from '../leaf/leaf-schema.ts'
import { GROUPING_COLUMN } from '../planner/grouping-call.ts'
import { aggregateWord, finalizerOf } from '../planner/partial-aggregate.ts'
import type { PartialColumn } from '../planner/plan.ts'
import { childrenOf, type Expression, type GroupValue, type PartialValue, type SqlFragment } from '../sql/expression.ts'
import { toGroupAddressText, type AccessPaths } from './access-path.ts'
import { ConditionPrinter } from './condition-printer.ts'
import { ExpressionPrinter, type PrinterParts } from './expression-printer.ts'
import { describeGroup } from './group-name.ts'
import type { CatalogRollup } from './query-catalog.ts'
import type {
  DeferredHaving,
  GroupingSetSource,
  GroupSource,
  HidesGroups,
  MeasureSource,
  Relation,
  RelationColumn,
} from './relation.ts'
import { toParameterTexts } from './sqlite-text.ts'

/** The column that addresses a group; an output of that name hides it. */
const ID_COLUMN = '_id'

/** The number of a group's grouping set, first in its key: sets that are written twice differ in it alone. */
const SET_TEXT = `substr(${LEAF_COLUMN.key}, 1, 1)`

/** Exported for `_id`, and where MEASURE merges behind a join. */
const ADDRESS_COLUMN = 'address'
/** Exported where MEASURE merges. */
const SET_COLUMN = 'set_'
/** Exported when HAVING is applied outside. */
const HAVING_COLUMN = 'having_'

export class RollupView implements Relation {
  readonly alias: string
  readonly columns: readonly RelationColumn[]
  readonly #rollup: CatalogRollup
  /** Without its HAVING: `unfiltered(r)`. */
  readonly #unfiltered: boolean
  readonly #paths: AccessPaths
  readonly #printer: ExpressionPrinter
  readonly #conditions: ConditionPrinter
  /** Exported columns by name, with their text over the group table. */
  readonly #exports = new Map<string, (overflow: boolean) => string>()
  readonly #hiding: HidesGroups
  #showsHidden = false
  /** HAVING is in the statement's WHERE. */
  #isDeferred = false
  /** Index of the grouping value that tells the grouping sets apart; undefined: there is one. */
  readonly #bits: number | undefined
  #readsBits = false

  constructor(alias: string, rollup: CatalogRollup, unfiltered: boolean, parts: PrinterParts) {
    this.alias = alias
    this.#rollup = rollup
    this.#unfiltered = unfiltered
    this.#paths = parts.paths
    this.#hiding = {
      hasHaving: rollup.plan.wrap.having !== null && !unfiltered,
      name: rollup.name,
      showHidden: (shown) => {
        this.#showsHidden = shown
      },
      countAll: () => {
        const isDeferred = this.#isDeferred
        this.#isDeferred = false
        const text = `SELECT count(*) FROM ${this.render()}`
        this.#isDeferred = isDeferred
        return text
      },
    }
    this.#printer = new ExpressionPrinter(parts, (leaf) => this.#leaf(leaf))
    this.#conditions = new ConditionPrinter(this.#printer)
    const outputs = rollup.plan.wrap.outputs.map(({ name, type, expression }) => ({
      name,
      type,
      canFail: this.#printer.canFail(expression),
      hidden: false,
    }))
    const { groupBy, groupingSets } = rollup.plan.ingest
    this.#bits = groupingSets === undefined ? undefined : groupBy.length - 1
    const added: RelationColumn[] = [{ name: ID_COLUMN, type: 'text', canFail: false, hidden: true }]
    if (this.#bits !== undefined) added.push({ name: GROUPING_COLUMN, type: 'bigint', canFail: false, hidden: true })
    this.columns = [...outputs, ...added.filter(({ name }) => !outputs.some((output) => output.name === name))]
  }

  column(index: number, position: number): SqlFragment {
    const { type, canFail, name: added } = at(this.columns, index)
    const output = this.#rollup.plan.wrap.outputs[index]
    // an address too names groups of one set
    if (output === undefined || (this.#bits !== undefined && readsGroup(output.expression, this.#bits))) {
      this.#readsBits = true
    }
    if (output === undefined) {
      return {
        kind: 'fragment',
        sql: added === ID_COLUMN ? this.#address() : this.#bitsText(),
        type,
        canFail,
        position,
      }
    }
    const name = `c${index}`
    const sql = `${this.alias}.${name}`
    this.#exports.set(name, () => this.#printer.print(output.expression))
    const isBucket = output.expression.kind === 'group' && output.expression.index === this.#rollup.schema.bucketGroup
    if (output.expression.kind === 'group' && type === 'any') {
      const { table, groupColumns } = this.#rollup.schema
      const column = at(groupColumns, output.expression.index).name
      this.#paths.set(sql, { kind: 'undeclared', name: output.name, table, column })
    }
    if (isBucket)
      this.#paths.set(sql, { kind: 'bucket', rollup: this.#rollup, bucket: () => this.#plain(LEAF_COLUMN.bucket) })
    return { kind: 'fragment', sql, type, canFail, position }
  }

  #address(): string {
    this.#exports.set(ADDRESS_COLUMN, (overflow) => toGroupAddressText(this.#table(overflow), overflow))
    const sql = `${this.alias}.${ADDRESS_COLUMN}`
    const [bucket, id] = [LEAF_COLUMN.bucket, LEAF_COLUMN.id]
    this.#paths.set(sql, { kind: 'id', bucket: () => this.#plain(bucket), id: () => this.#plain(id) })
    return sql
  }

  #bitsText(): string {
    assert(this.#bits !== undefined, 'a rollup with grouping sets has their bits')
    return this.#plain(at(this.#rollup.plan.ingest.groupBy, this.#bits).column)
  }

  measureSource(index: number): MeasureSource | undefined {
    const output = this.#rollup.plan.wrap.outputs[index]
    if (output === undefined) return undefined
    const { schema } = this.#rollup
    return {
      rollup: this.#rollup,
      output: index,
      states: (partial) => at(schema.partials, partial).columns.map(({ name }) => this.#plain(name)),
      identity: () => this.#address(),
      mayRepeat: false,
      group: (group) => {
        const { outputs } = this.#rollup.plan.wrap
        const same = outputs.findIndex(({ expression }) => expression.kind === 'group' && expression.index === group)
        return same < 0 ? undefined : this.column(same, 0)
      },
      groupingSet: this.#groupingSet(),
      hiding: this.#hiding,
    }
  }

  #groupingSet(): GroupingSetSource | undefined {
    const bits = this.#bits
    if (bits === undefined) return undefined
    this.#exports.set(SET_COLUMN, () => SET_TEXT)
    return {
      text: () => `${this.alias}.${SET_COLUMN}`,
      isRead: () => this.#readsBits,
      column: at(this.#rollup.plan.ingest.groupBy, bits).output ?? GROUPING_COLUMN,
    }
  }

  groupSource(): GroupSource {
    const { groupBy } = this.#rollup.plan.ingest
    const columns = groupBy.map(({ output, column, type }, index) => ({
      name: output ?? (index === this.#bits ? GROUPING_COLUMN : column),
      type,
    }))
    return { columns, texts: () => groupBy.map(({ column }) => this.#plain(column)) }
  }

  rowOrder(): readonly string[] {
    return this.groupSource().texts()
  }

  deferHaving(): DeferredHaving | undefined {
    const { having } = this.#rollup.plan.wrap
    if (having === null || this.#unfiltered || !this.#printer.canFail(having)) return undefined
    this.#isDeferred = true
    const text = this.#printer.printTruth(having)
    this.#exports.set(HAVING_COLUMN, () => (this.#showsHidden ? `not_true(${text})` : text))
    const sql = `${this.alias}.${HAVING_COLUMN}`
    const condition: SqlFragment = { kind: 'fragment', sql, type: 'boolean', canFail: true, position: 0 }
    return { condition, what: this.#havingName }
  }

  get #havingName(): string {
    return `HAVING of ${this.#rollup.name}`
  }

  render(): string {
    const { hasOverflow } = this.#rollup
    const arms = hasOverflow ? [this.#renderArm(false), this.#renderArm(true)] : [this.#renderArm(false)]
    return `(${arms.join(' UNION ALL ')}) AS ${this.alias}`
  }

  #renderArm(overflow: boolean): string {
    const columns = [...this.#exports].map(([name, text]) => {
      const value = text(overflow)
      return value === name ? name : `${value} AS ${name}`
    })
    const having = this.#havingText()
    const where = having === undefined ? '' : ` WHERE ${having}`
    return `SELECT ${columns.length === 0 ? '1' : columns.join(', ')} FROM ${this.#table(overflow)}${where}`
  }

  #havingText(): string | undefined {
    const { having } = this.#rollup.plan.wrap
    if (having === null || this.#unfiltered || this.#isDeferred) return undefined
    const source = this.groupSource()
    const text = this.#conditions.print(having, {
      what: this.#havingName,
      groupTexts: () => this.#rollup.plan.ingest.groupBy.map(({ column }) => column),
      describe: (cells) => describeGroup(source.columns, cells),
    })
    return this.#showsHidden ? `not_true(${text})` : text
  }

  #table(overflow: boolean): string {
    return overflow ? this.#rollup.schema.overflowTable : this.#rollup.schema.table
  }

  /** Exports a column of the group table under its own name. */
  #plain(name: string): string {
    this.#exports.set(name, () => name)
    return `${this.alias}.${name}`
  }

  /** A node of the wrap half over the group table's own columns. */
  #leaf(leaf: GroupValue | PartialValue): SqlFragment {
    if (leaf.kind === 'group') return this.#groupFragment(leaf.index)
    const partial = at(this.#rollup.plan.ingest.partials, leaf.index)
    const { columns } = at(this.#rollup.schema.partials, leaf.index)
    const aggregate = finalizerOf(partial, leaf)
    const { canFail, finishedColumn, type } = aggregate
    const names = columns.map(({ name }) => name)
    const sql =
      finishedColumn === undefined
        ? `${this.#finalizer(partial, leaf)}(${[...names, ...toParameterTexts(leaf.parameter)].join(', ')})`
        : at(names, finishedColumn)
    return { kind: 'fragment', sql, type, canFail, position: 0 }
  }

  #finalizer(partial: PartialColumn, leaf: PartialValue): string {
    const word = aggregateWord(partial, leaf.finalizer)
    return this.#printer.parts.functions.finalizer(word, finalizerOf(partial, leaf), partial.argTypes)
  }

  #groupFragment(index: number): SqlFragment {
    const { column, type } = at(this.#rollup.plan.ingest.groupBy, index)
    return { kind: 'fragment', sql: column, type, canFail: false, position: 0 }
  }
}

function readsGroup(expression: Expression, group: number): boolean {
  if (expression.kind === 'group') return expression.index === group
  return childrenOf(expression).some((child) => readsGroup(child, group))
}
