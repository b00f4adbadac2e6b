/**
 * Owns a rollup in FROM whose groups come at coarser grain: folded out of the copy of its columns (column-fold.ts) by the grouping values that the
 * statement reads. Merging is associative, so every clause means the same over these rows as over the groups, if aggregates over rows are written
 * as merges of what was folded (folded-call.ts). Whatever can't be said that way is refused with NotFolded, and the statement compiled anew over the
 * groups themselves.
 */
import { at, BrokenInvariant } from '../core/assert.ts'
import { MICROSECONDS_PER_DAY } from '../core/timestamp-calendar.ts'
import { LEAF_COLUMN } from '../leaf/leaf-schema.ts'
import type { SqlFragment } from '../sql/expression.ts'
import { toColumnStorage } from '../core/scalar-type.ts'
import type { AccessPaths } from './access-path.ts'
import type { PrinterParts } from './expression-printer.ts'
import { type Derivation, type FoldCell, type FoldRequest, nameOfCell } from './fold-request.ts'
import { foldedColumn, FOLDED_COLUMNS_MAX, type FoldedTables } from './folded-table.ts'
import type { Namespace } from './namespace.ts'
import { NotFolded } from './not-folded.ts'
import type { CatalogRollup, QueryCatalog } from './query-catalog.ts'
import type { TimeRange } from './time-range.ts'
import type { MeasureSource, Relation, RelationColumn } from './relation.ts'

export class FoldedRollup implements Relation {
  readonly alias: string
  readonly columns: readonly RelationColumn[]
  readonly #rollup: CatalogRollup
  readonly #number: number
  readonly #paths: AccessPaths
  readonly #tables: FoldedTables
  readonly #cells = new Map<string, FoldCell>()
  readonly #reads = new Map<number, number>()
  readonly #conditions: Derivation[] = []
  #share = 1

  /** `number`: which of the statement's folds this is. Caller knows that the rollup has one grouping set, and a HAVING only where it is left out. */
  constructor(alias: string, rollup: CatalogRollup, number: number, { paths, functions }: PrinterParts) {
    this.alias = alias
    this.#rollup = rollup
    this.#number = number
    this.#paths = paths
    this.#tables = functions.folded
    this.columns = rollup.plan.wrap.outputs.map(({ name, type }) => ({ name, type, canFail: true, hidden: false }))
  }

  /** A grouping value. */
  column(index: number, position: number): SqlFragment {
    const { expression, name } = at(this.#rollup.plan.wrap.outputs, index)
    if (expression.kind !== 'group') throw new NotFolded()
    const { table, groupColumns } = this.#rollup.schema
    const { name: column, storage } = at(groupColumns, expression.index)
    // a double's sign of zero isn't part of its value
    if (storage === 'REAL') throw new NotFolded()
    const group = expression.index
    const sql = this.cell({ kind: 'key', group })
    this.#reads.set(group, (this.#reads.get(group) ?? 0) + 1)
    const { type } = expression
    if (type === 'any') this.#paths.set(sql, { kind: 'undeclared', name, table, column })
    return { kind: 'fragment', sql, type, canFail: false, position }
  }

  /** How often each grouping value was read until now, by index. */
  get reads(): ReadonlyMap<number, number> {
    return new Map(this.#reads)
  }

  /** Makes the reads of one grouping value since then those of a text that stands for it; undefined: none or several were read. */
  derive(before: ReadonlyMap<number, number>, text: () => string): Derivation | undefined {
    const [read, ...others] = [...this.#reads].filter(([group, count]) => before.get(group) !== count)
    if (read === undefined || others.length > 0) return undefined
    const [group] = read
    this.#reads.set(group, before.get(group) ?? 0)
    return { group, text: text(), source: this.#columnOf({ kind: 'key', group }) }
  }

  /** The time that leads the primary key, as a column of this. */
  get timeText(): string {
    return `${this.alias}.${this.#columnOf(this.#timeKey)}`
  }

  get #timeKey(): FoldCell {
    return { kind: 'key', group: this.#rollup.schema.bucketGroup }
  }

  /** Only groups within this range of the time are asked for. */
  narrow(range: TimeRange, catalog: QueryCatalog): void {
    const ends = catalog.bucketEnds(this.#rollup)
    if (ends === undefined) return
    const isDate = at(this.#rollup.plan.ingest.groupBy, this.#rollup.schema.bucketGroup).type === 'date'
    const unit = isDate ? BigInt(MICROSECONDS_PER_DAY) : 1n
    const [begin, end] = ends
    const first = range.first === undefined || range.first * unit < begin ? begin : range.first * unit
    const last = range.last === undefined || range.last * unit > end ? end : range.last * unit
    this.#share = last < first ? 0 : Number(last - first + unit) / Number(end - begin + unit)
  }

  /** Lets conditions that `print` writes name the bucket beside the time that it is of: only what is derived from that time can be asked for it. */
  withBucket(print: () => string): string {
    if (!this.#cells.has(nameOfCell(this.#timeKey))) return print()
    const sql = this.timeText
    const bucket = (): string => `${this.alias}.${LEAF_COLUMN.bucket}`
    this.#paths.set(sql, { kind: 'bucket', rollup: this.#rollup, bucket })
    const text = print()
    this.#paths.delete(sql)
    return text
  }

  /** A condition of WHERE, as a cell that is 1 where it is true. */
  condition(derivation: Derivation): string {
    this.#conditions.push(derivation)
    return this.cell({ kind: 'derived', derivation })
  }

  /** A cell of the rows. */
  cell(cell: FoldCell): string {
    return `${this.alias}.${this.#columnOf(cell)}`
  }

  #columnOf(cell: FoldCell): string {
    const name = nameOfCell(cell)
    if (!this.#cells.has(name)) {
      if (this.#cells.size === FOLDED_COLUMNS_MAX) throw new NotFolded()
      this.#cells.set(name, cell)
    }
    return foldedColumn([...this.#cells.keys()].indexOf(name))
  }

  /** The finished column behind an output, where a state column is one; undefined where it is computed. */
  finishedColumn(index: number): string | undefined {
    const { expression, type } = at(this.#rollup.plan.wrap.outputs, index)
    if (expression.kind !== 'partial' || expression.finalizer !== undefined) return undefined
    const { aggregate, columns } = at(this.#rollup.schema.partials, expression.index)
    if (aggregate.finishedColumn === undefined) return undefined
    const { name, storage } = at(columns, aggregate.finishedColumn)
    return storage !== 'BLOB' && storage === toColumnStorage(type) ? name : undefined
  }

  /** Whether an output is this aggregate and nothing else. */
  isAggregate(index: number, name: string): boolean {
    const { expression } = at(this.#rollup.plan.wrap.outputs, index)
    if (expression.kind !== 'partial' || expression.finalizer !== undefined) return false
    return at(this.#rollup.plan.ingest.partials, expression.index).aggregate === name
  }

  measureSource(index: number): MeasureSource {
    const { schema, plan, name } = this.#rollup
    return {
      rollup: this.#rollup,
      output: index,
      states: (partial) => {
        const { aggregate, columns } = at(schema.partials, partial)
        if (aggregate.columnFold === undefined) throw new NotFolded()
        return columns.map((_, column) => this.cell({ kind: 'state', partial, column }))
      },
      identity: () => {
        throw new NotFolded()
      },
      mayRepeat: false,
      group: (group) => {
        const same = plan.wrap.outputs.findIndex(
          ({ expression }) => expression.kind === 'group' && expression.index === group,
        )
        return same < 0 ? undefined : this.column(same, 0)
      },
      groupingSet: undefined,
      hiding: {
        hasHaving: false,
        name,
        showHidden: () => {},
        countAll: () => {
          throw new BrokenInvariant('a folded rollup hides nothing')
        },
      },
    }
  }

  render(): string {
    // rows without a cell can't be
    if (this.#cells.size === 0) this.cell({ kind: 'groups' })
    return `${this.#tables.nameFor(this.#cells.size)}(${this.#number}) AS ${this.alias}`
  }

  /** After render. */
  request(): FoldRequest {
    const cells = [...this.#cells.values()].map((cell): FoldCell => {
      const isUnused = cell.kind === 'key' && (this.#reads.get(cell.group) ?? 0) === 0
      return isUnused ? { kind: 'unused' } : cell
    })
    return { rollup: this.#rollup, alias: this.alias, cells, conditions: this.#conditions, share: this.#share }
  }
}

/** The rollup whose folded groups are all that FROM has; undefined: FROM has others. */
export function foldedRollupOf({ tables }: Namespace): FoldedRollup | undefined {
  const [table] = tables
  return table?.relation instanceof FoldedRollup ? table.relation : undefined
}
