/**
 * Owns conditions, where false and NULL are the same: WHERE, HAVING, ON, FILTER. There a comparison may be written so that keys
 * and indexes of the leaf serve it, and errors end: a guard notes them and gives NULL.
 *
 * AND with a side that can fail is CASE, the safe side repeated outside: indexes serve it, and rows that it excludes can't
 * fail the query.
 */
import { KEY_TAG } from '../core/key-bytes.ts'
import { NUMBER_TYPES } from '../core/scalar-type.ts'
import { MICROSECONDS_PER_DAY } from '../core/timestamp-calendar.ts'
import type { Call, Expression, In, Literal } from '../sql/expression.ts'
import { functionById } from '../sql/function-table.ts'
import { parseGroupAddress } from './access-path.ts'
import { isComparableNatively, toEquality, type ExpressionPrinter } from './expression-printer.ts'
import type { GroupGuardSite } from './sqlite-functions.ts'
import { toBlobLiteral, toKeyBytes } from './sqlite-text.ts'

/** Where errors of a condition end, and the texts of its group's values for the message. */
export interface GuardPlace extends GroupGuardSite {
  readonly groupTexts: () => readonly string[]
}

/** Comparison by its operator, and the same with its sides swapped. */
const SWAPPED: Readonly<Record<string, string>> = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

/** Tags of one kind, [first, end): the range of its key bytes. */
const KIND_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  text: [KEY_TAG.TEXT, KEY_TAG.TEXT + 1],
  number: [KEY_TAG.MINUS_INFINITY, KEY_TAG.NAN + 1],
  boolean: [KEY_TAG.FALSE, KEY_TAG.TRUE + 1],
  timestamptz: [KEY_TAG.TIMESTAMP, KEY_TAG.TIMESTAMP + 1],
  timestamp: [KEY_TAG.LOCAL_TIMESTAMP, KEY_TAG.LOCAL_TIMESTAMP + 1],
  date: [KEY_TAG.DATE, KEY_TAG.DATE + 1],
  interval: [KEY_TAG.INTERVAL, KEY_TAG.INTERVAL + 1],
}

export class ConditionPrinter {
  readonly #printer: ExpressionPrinter

  constructor(printer: ExpressionPrinter) {
    this.#printer = printer
  }

  /** Text that is true exactly where the condition is; an error is noted at the place and counts as not true. */
  print(condition: Expression, place: GuardPlace): string {
    const parts = conjunctsOf(this.#printer.fold(condition))
    const safe = parts.filter((part) => !this.#printer.canFail(part)).map((part) => this.whenTrue(part))
    const failing = parts.filter((part) => this.#printer.canFail(part)).map((part) => this.#printer.printTruth(part))
    const safeText = safe.join(' AND ')
    if (failing.length === 0) return safe.length === 1 ? safeText : `(${safeText})`
    const failingText =
      failing.length === 1 ? (failing[0] as string) : this.#printer.printVariadic('and_values', failing)
    const guarded = this.guard(failingText, place)
    return safe.length === 0 ? guarded : `(${safeText} AND CASE WHEN ${safeText} THEN ${guarded} END)`
  }

  /** A value whose error is noted at the place and counts as NULL. */
  guard(text: string, place: GuardPlace): string {
    const site = this.#printer.parts.functions.addSite(place)
    const guarded = `guard(${text}, ${site})`
    const groupTexts = place.groupTexts()
    if (groupTexts.length === 0) return guarded
    // only evaluated behind a NULL, so that the group's values cost nothing where all is well
    return `coalesce(${guarded}, note_group(${[site, ...groupTexts].join(', ')}))`
  }

  /** Text that is true exactly where the expression, which can't fail, is true; elsewhere it is false or NULL. */
  whenTrue(expression: Expression): string {
    const { kind } = expression
    if (kind === 'and' || kind === 'or') {
      const texts = expression.args.map((arg) => this.whenTrue(arg))
      return `(${texts.join(kind === 'and' ? ' AND ' : ' OR ')})`
    }
    if (kind === 'call') return this.#call(expression)
    if (kind === 'in') return this.#in(expression)
    const path = kind === 'fragment' ? this.#printer.parts.paths.get(expression.sql) : undefined
    return path?.kind === 'condition' ? path.whenTrue : this.#printer.printTruth(expression)
  }

  #in(expression: In): string {
    const { argument, list } = expression
    if (argument.type === 'any' && list.every((item) => item.kind === 'literal')) {
      const keys = list.map((item) => toBlobLiteral(toKeyBytes(item)))
      const kinds = new Set(list.map(({ type }) => (NUMBER_TYPES.has(type) ? 'number' : type)))
      const [first] = list
      // a list of several kinds says that the column is known to have them
      if (kinds.size === 1 && first !== undefined && first.value !== null) this.#kindRange(argument, first)
      return `(${this.#printer.print(argument)} IN (${keys.join(', ')}))`
    }
    const isNative = list.every((item) => isComparableNatively(argument.type, item.type)) && !this.#hasPath(argument)
    if (isNative || list.length > PATH_ITEMS_MAX) return this.#printer.printTruth(expression)
    return `(${list.map((item) => this.whenTrue(toEquality(argument, item))).join(' OR ')})`
  }

  #call(call: Call): string {
    const entry = functionById(call.function)
    const [left, right] = call.args
    if (entry.form === 'operator' && left !== undefined && right !== undefined && entry.name in SWAPPED) {
      return this.#comparison(entry.name, left, right, call)
    }
    return this.#printer.printTruth(call)
  }

  #comparison(operator: string, left: Expression, right: Expression, call: Call): string {
    const swapped = SWAPPED[operator] as string
    if (operator === '=') {
      const byId = this.#groupLookup(left, right) ?? this.#groupLookup(right, left)
      if (byId !== undefined) return byId
    }
    const undeclared =
      this.#undeclaredComparison(operator, left, right) ?? this.#undeclaredComparison(swapped, right, left)
    if (undeclared !== undefined) return undeclared
    const text = this.#printer.printTruth(call)
    const ranges = [this.#bucketRange(operator, left, right), this.#bucketRange(swapped, right, left)].filter(
      (range) => range !== undefined,
    )
    return ranges.length === 0 ? text : `(${[text, ...ranges].join(' AND ')})`
  }

  #hasPath(expression: Expression): boolean {
    return expression.kind === 'fragment' && this.#printer.parts.paths.has(expression.sql)
  }

  /** `_id` = text: the primary key, and the text itself, which tells groups of one hash apart. */
  #groupLookup(side: Expression, other: Expression): string | undefined {
    const path = side.kind === 'fragment' ? this.#printer.parts.paths.get(side.sql) : undefined
    if (path?.kind !== 'id' || other.kind !== 'literal' || typeof other.value !== 'string') return undefined
    const address = parseGroupAddress(other.value)
    if (address === undefined) return '0'
    const text = `${this.#printer.print(side)} = ${this.#printer.print(other)}`
    return `(${path.bucket()} = ${address.bucket} AND ${path.id()} = X'${address.id}' AND ${text})`
  }

  /** The time's bucket compares as the time does wherever the comparison is true. */
  #bucketRange(operator: string, side: Expression, other: Expression): string | undefined {
    const path = side.kind === 'fragment' ? this.#printer.parts.paths.get(side.sql) : undefined
    if (path?.kind !== 'bucket' || other.type !== side.type) return undefined
    const value = this.#printer.print(other)
    return `${path.bucket()} ${operator} ${side.type === 'date' ? `${value} * ${MICROSECONDS_PER_DAY}` : value}`
  }

  /** Key bytes compare as values within one kind, so a column's index serves it; other kinds lie outside the range. */
  #undeclaredComparison(operator: string, side: Expression, other: Expression): string | undefined {
    if (side.type !== 'any' || side.kind === 'literal') return undefined
    const text = this.#printer.print(side)
    const range = other.kind === 'literal' && other.value !== null ? this.#kindRange(side, other) : undefined
    if (operator === '=') return `(${text} = ${this.#printer.printAs(other, 'any')})`
    if (range === undefined || other.kind !== 'literal') return undefined
    const bound = `${text} ${operator} ${toBlobLiteral(toKeyBytes(other))}`
    return operator.startsWith('<') ? `(${bound} AND ${text} >= ${range.from})` : `(${bound} AND ${text} < ${range.to})`
  }

  /** The range of the literal's kind; notes that values outside of it are to be warned of. */
  #kindRange(side: Expression, { type }: Literal): { readonly from: string; readonly to: string } | undefined {
    const kind = NUMBER_TYPES.has(type) ? 'number' : type
    const tags = Object.hasOwn(KIND_RANGES, kind) ? KIND_RANGES[kind] : undefined
    if (tags === undefined) return undefined
    const [from, to] = tags.map((tag) => toBlobLiteral(Uint8Array.of(tag))) as [string, string]
    const path = side.kind === 'fragment' ? this.#printer.parts.paths.get(side.sql) : undefined
    if (path?.kind === 'undeclared') this.#printer.parts.probes.push({ ...path, kind, from, to })
    return { from, to }
  }
}

/** Lists of IN up to this length are written as single comparisons where these have a better path. */
const PATH_ITEMS_MAX = 100

/** The parts that must all be true. */
function conjunctsOf(condition: Expression): readonly Expression[] {
  return condition.kind === 'and' ? condition.args.flatMap(conjunctsOf) : [condition]
}
