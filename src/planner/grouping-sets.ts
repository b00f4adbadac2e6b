/**
 * Owns what GROUPING SETS, ROLLUP, CUBE and their mix with plain items mean: a list of sets of grouping expressions. Syntax only; which
 * expression an item is, is the caller's.
 */
import { GROUPING_SETS_MAX } from '../core/key-bytes.ts'
import type { GroupingSet, Node } from '../sql/parse-statement.ts'

/** Indexes of grouping expressions, each once. */
export type ColumnSet = readonly number[]

export interface ExpandOptions {
  /** The number of the grouping expression that an item is; equal ones have one number. */
  readonly indexOf: (node: Node) => number
  /** The error of more sets than GROUPING_SETS_MAX. `count` is their number. */
  readonly tooMany: (count: number) => Error
  /** GROUP BY DISTINCT: equal sets are one. */
  readonly isDistinct: boolean
}

/** The sets of GROUP BY, in the order of the statement; one set where none of its items makes more. */
export function expandGroupingSets(items: readonly Node[], options: ExpandOptions): ColumnSet[] {
  const expander = new Expander(options)
  let sets: ColumnSet[] = [[]]
  for (const item of items) sets = expander.product(sets, expander.setsOf(item))
  if (!options.isDistinct) return sets
  const seen = new Set<string>()
  return sets.filter((set) => {
    const key = set.toSorted((left, right) => left - right).join()
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** The value of GROUPING over all `columnCount` expressions: a bit for each, the first one's highest, set where it isn't grouped by. */
export function groupingBits(set: ColumnSet, columnCount: number): number {
  let bits = 0
  for (let column = 0; column < columnCount; column++) bits = bits * 2 + (set.includes(column) ? 0 : 1)
  return bits
}

class Expander {
  readonly #options: ExpandOptions

  constructor(options: ExpandOptions) {
    this.#options = options
  }

  setsOf(node: Node): ColumnSet[] {
    if (!('GroupingSet' in node)) return [this.#columnsOf(node)]
    const { kind, content = [] } = node.GroupingSet
    switch (kind) {
      case 'GROUPING_SET_EMPTY':
        return [[]]
      case 'GROUPING_SET_SETS': {
        const sets = content.flatMap((item) => this.setsOf(item))
        this.#bound(sets.length)
        return sets
      }
      case 'GROUPING_SET_ROLLUP':
        return this.#rollup(content.map((item) => this.#columnsOf(item)))
      case 'GROUPING_SET_CUBE':
        return this.#cube(content.map((item) => this.#columnsOf(item)))
      default:
        throw new Error(`the grammar has no ${groupingSetName(node.GroupingSet)}`)
    }
  }

  /** One set for each pair: GROUP BY a, ROLLUP (b) groups by a in each of ROLLUP's sets. */
  product(left: readonly ColumnSet[], right: readonly ColumnSet[]): ColumnSet[] {
    this.#bound(left.length * right.length)
    return left.flatMap((one) => right.map((other) => unique([...one, ...other])))
  }

  /** (a, b) inside is one item of two columns. */
  #columnsOf(node: Node): ColumnSet {
    const isList = 'RowExpr' in node && node.RowExpr.row_format === 'COERCE_IMPLICIT_CAST'
    return isList
      ? unique((node.RowExpr.args ?? []).flatMap((part) => this.#columnsOf(part)))
      : [this.#options.indexOf(node)]
  }

  #rollup(parts: readonly ColumnSet[]): ColumnSet[] {
    this.#bound(parts.length + 1)
    return [...parts, []].map((_, left) => unique(parts.slice(0, parts.length - left).flat()))
  }

  #cube(parts: readonly ColumnSet[]): ColumnSet[] {
    const count = 2 ** parts.length
    this.#bound(count)
    return Array.from({ length: count }, (_, mask) =>
      unique(parts.flatMap((part, index) => (mask & (1 << (parts.length - 1 - index)) ? [] : part))),
    )
  }

  #bound(count: number): void {
    if (count > GROUPING_SETS_MAX) throw this.#options.tooMany(count)
  }
}

/** As it is written. */
export function groupingSetName({ kind }: GroupingSet): string {
  switch (kind) {
    case 'GROUPING_SET_ROLLUP':
      return 'ROLLUP'
    case 'GROUPING_SET_CUBE':
      return 'CUBE'
    case 'GROUPING_SET_EMPTY':
      return 'GROUP BY ()'
    default:
      return 'GROUPING SETS'
  }
}

function unique(columns: readonly number[]): ColumnSet {
  return [...new Set(columns)]
}
