/**
 * Owns the SQLite text of typed expressions. The text of an expression has the cell of its type's storage (cell-codec.ts);
 * SQLite's own operators stand only where the function table says that they mean the same, everything else calls our functions.
 */
import { assert, BrokenInvariant, unreachable } from '../core/assert.ts'
import { isTimeType, toColumnStorage, type ScalarType } from '../core/scalar-type.ts'
import type { Call, Case, Expression, GroupValue, In, Logic, PartialValue, SqlFragment } from '../sql/expression.ts'
import type { FunctionEntry } from '../sql/function-entry.ts'
import { ConstantFolder } from '../sql/fold-constants.ts'
import { findFunctions, functionById } from '../sql/function-table.ts'
import type { AccessPaths } from './access-path.ts'
import type { KindProbe } from './kind-probe.ts'
import type { SqliteFunctions } from './sqlite-functions.ts'
import { toLiteralText, type BoundDoubles } from './sqlite-text.ts'

/** A call of SQLite takes at most 1,000 arguments; longer lists are nested. */
const ARGUMENTS_MAX = 500

const COMPARISONS = new Set(['=', '<>', '<', '<=', '>', '>=', 'is distinct from', 'is not distinct from'])

/** What the group and partial nodes of a wrap half stand for. */
export type ResolveLeaf = (leaf: GroupValue | PartialValue) => SqlFragment

export interface PrinterParts {
  readonly functions: SqliteFunctions
  readonly doubles: BoundDoubles
  readonly paths: AccessPaths
  /** Looked up after the query. */
  readonly probes: KindProbe[]
}

export class ExpressionPrinter {
  readonly parts: PrinterParts
  readonly #resolveLeaf: ResolveLeaf
  readonly #constants = new ConstantFolder()

  /** `resolveLeaf` is for wrap halves; statements of queries have no such nodes. */
  constructor(parts: PrinterParts, resolveLeaf?: ResolveLeaf) {
    this.parts = parts
    this.#resolveLeaf =
      resolveLeaf ??
      (() => {
        assert(false, 'a query has no group or partial nodes')
      })
  }

  /** With literals for the calls in it that have a value already; not for where a bare number is the ordinal of an output. */
  fold(expression: Expression): Expression {
    return this.#constants.fold(expression)
  }

  /** Whether the cell may be an error. */
  canFail(expression: Expression): boolean {
    switch (expression.kind) {
      case 'literal':
      case 'try':
        return false
      case 'fragment':
        return expression.canFail
      case 'group':
      case 'partial':
        return this.#resolveLeaf(expression).canFail
      case 'call': {
        const folded = this.fold(expression)
        if (folded.kind !== 'call') return false
        const { args } = folded
        const entry = functionById(folded.function)
        // key bytes of two cells can always be compared; only values of records may have none
        const fails = !COMPARISONS.has(entry.name) && entry.canFail(args.map(({ type }) => type))
        return fails || args.some((arg) => this.canFail(arg))
      }
      case 'and':
      case 'or':
      case 'coalesce':
        return expression.args.some((arg) => this.canFail(arg))
      case 'in':
        return this.canFail(expression.argument) || expression.list.some((item) => this.canFail(item))
      case 'case':
        return (
          this.canFail(expression.otherwise) ||
          expression.whens.some(({ when, then }) => this.canFail(when) || this.canFail(then))
        )
      case 'field':
      case 'meta':
      case 'aggregate':
      case 'grouping':
        throw noNode(expression)
      default:
        return unreachable(expression)
    }
  }

  /** The expression's value. */
  print(expression: Expression): string {
    switch (expression.kind) {
      case 'literal':
        return toLiteralText(expression, expression.type, this.parts.doubles)
      case 'fragment':
        return expression.sql
      case 'group':
      case 'partial':
        return this.#resolveLeaf(expression).sql
      case 'call':
        return this.#call(expression)
      case 'and':
      case 'or':
        return this.#logic(expression)
      case 'case':
        return this.#case(expression)
      case 'coalesce':
        return this.#coalesce(expression.args, expression.type)
      case 'try':
        return this.#try(expression.argument)
      case 'in':
        return this.#in(expression)
      case 'field':
      case 'meta':
      case 'aggregate':
      case 'grouping':
        throw noNode(expression)
      default:
        return unreachable(expression)
    }
  }

  /** The value in the storage of another type that it was unified with. */
  printAs(expression: Expression, type: ScalarType): string {
    const from = expression.type
    if (isTimeType(from) && isTimeType(type) && from !== type) {
      const cast = findFunctions('cast', type)[0]
      assert(cast !== undefined, `there is a cast to ${type}`)
      return this.bridge(cast, [expression], type)
    }
    if (expression.kind === 'literal') return toLiteralText(expression, type, this.parts.doubles)
    const text = this.print(expression)
    const isSame = from === type || (toColumnStorage(from) === toColumnStorage(type) && from !== 'interval')
    if (isSame) return text
    if (toColumnStorage(type) === 'BLOB') return this.printKey(text, from)
    assert(type === 'double precision' && from === 'bigint', `a ${from} can't stand for a ${type}`)
    return this.canFail(expression) ? `${this.parts.functions.toDouble(from)}(${text})` : `CAST(${text} AS REAL)`
  }

  /** The value as SQLite may tell rows apart by: equal cells exactly where the values are equal. */
  printComparable(expression: Expression): string {
    const text = this.print(expression)
    return expression.type === 'interval' ? this.printKey(text, 'interval') : text
  }

  /** The key bytes of a cell of that type: equal bytes exactly where the values are equal. */
  printKey(text: string, type: ScalarType): string {
    return `${this.parts.functions.toKey(type)}(${text})`
  }

  /** A boolean value as 1, 0, NULL or an error; an undeclared value must be a boolean at run time. */
  printTruth(expression: Expression): string {
    return expression.type === 'boolean' ? this.print(expression) : `truth_value(${this.printAs(expression, 'any')})`
  }

  /** A function of any number of arguments that can be nested: f(a, b, c) = f(f(a, b), c), and f(a) = a. */
  printVariadic(name: string, texts: readonly string[]): string {
    if (texts.length === 1) return texts[0] as string
    if (texts.length <= ARGUMENTS_MAX) return `${name}(${texts.join(', ')})`
    const inner = this.printVariadic(name, texts.slice(0, -ARGUMENTS_MAX))
    return `${name}(${[inner, ...texts.slice(-ARGUMENTS_MAX)].join(', ')})`
  }

  /** A call that is constant itself stays one, which SQLite computes once: it may stand where a bare number is an ordinal. */
  #call(call: Call): string {
    const entry = functionById(call.function)
    const folded = this.fold(call)
    const args = folded.kind === 'call' ? folded.args : call.args.map((arg) => this.fold(arg))
    const types = args.map(({ type }) => type)
    if (!args.some((arg) => this.canFail(arg))) {
      const native = entry.native?.(
        args.map((arg) => this.print(arg)),
        types,
      )
      if (native !== undefined) return `(${native})`
    }
    return this.bridge(entry, args, call.type)
  }

  /** A call of the function table's own code. */
  bridge(entry: FunctionEntry, args: readonly Expression[], type: ScalarType): string {
    const { name, passed } = this.parts.functions.call(entry, args, type)
    return `${name}(${passed.map((index) => this.print(args[index] as Expression)).join(', ')})`
  }

  #logic(expression: Logic): string {
    const texts = expression.args.map((arg) => this.printTruth(arg))
    if (this.canFail(expression)) return this.printVariadic(`${expression.kind}_values`, texts)
    return `(${texts.join(expression.kind === 'and' ? ' AND ' : ' OR ')})`
  }

  /** A failing condition makes the whole an error; only a function can say so. */
  #case({ whens, otherwise, type }: Case): string {
    const pairs = whens.map(({ when, then }) => [this.printTruth(when), this.printAs(then, type)] as const)
    const last = this.printAs(otherwise, type)
    if (!whens.some(({ when }) => this.canFail(when))) {
      return `CASE ${pairs.map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} ELSE ${last} END`
    }
    return this.#caseValues(pairs, last)
  }

  /** What doesn't fit one call stands in its last argument. */
  #caseValues(pairs: readonly (readonly [string, string])[], last: string): string {
    const fits = ARGUMENTS_MAX / 2
    const otherwise = pairs.length > fits ? this.#caseValues(pairs.slice(fits), last) : last
    return `case_values(${[...pairs.slice(0, fits).flat(), otherwise].join(', ')})`
  }

  #try(argument: Expression): string {
    const text = this.print(argument)
    return this.canFail(argument) ? `try_value(${text})` : text
  }

  /** An error isn't NULL: SQLite's own COALESCE stops at it, as it must. */
  #coalesce(args: readonly Expression[], type: ScalarType): string {
    const texts = args.map((arg) => this.printAs(arg, type))
    return this.printVariadic('coalesce', texts)
  }

  #in(expression: In): string {
    const { argument, list } = expression
    const isNative = !this.canFail(expression) && list.every(({ type }) => isComparableNatively(argument.type, type))
    if (isNative) return `(${this.print(argument)} IN (${list.map((item) => this.print(item)).join(', ')}))`
    return this.printVariadic(
      'or_values',
      list.map((item) => this.print(toEquality(argument, item))),
    )
  }
}

/** The comparison that IN makes with each item. */
export function toEquality(argument: Expression, item: Expression): Call {
  return { kind: 'call', function: 'equal', args: [argument, item], type: 'boolean', position: argument.position }
}

/** Whether SQLite's = over cells of these types is ours: never a mismatch of kinds. */
export function isComparableNatively(left: ScalarType, right: ScalarType): boolean {
  const storage = toColumnStorage(left)
  return left === right && storage !== 'BLOB'
}

function noNode({ kind }: Expression): BrokenInvariant {
  return new BrokenInvariant(`a query has no ${kind} nodes`)
}
