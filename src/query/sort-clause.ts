/** Owns ORDER BY and DISTINCT ON of one SELECT: their values as SQLite text, and which of them PostgreSQL allows together. */
import { at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { Expression } from '../sql/expression.ts'
import { toSortTerm } from './sqlite-text.ts'
import type { Node, SelectStmt } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import type { CompileContext } from './compile-context.ts'
import type { GuardPlace } from './condition-printer.ts'
import { compileSortKeys, type SortingClause } from './order-by.ts'
import type { Output } from './target-list.ts'

/** A value of ORDER BY. */
export interface SortValue {
  /** Over the rows of FROM, or over the groups. */
  readonly text: string
  /** The output that it is. */
  readonly output: number | undefined
  /** ` ASC NULLS LAST` */
  readonly direction: string
  /** Whether ORDER BY may name the output instead. */
  readonly isOutput: boolean
}

export interface SortParts {
  readonly outputs: readonly Output[]
  readonly analyser: Analyser
  readonly context: CompileContext
  /** SELECT DISTINCT: rows are sorted by what they show. */
  readonly isDistinct: boolean
  /** Where errors of a value end. */
  readonly place: (clause: string) => GuardPlace
}

interface Key {
  readonly expression: Expression
  readonly output: number | undefined
  readonly direction: string
  readonly position: number
}

export interface Sorting {
  readonly values: readonly SortValue[]
  /** Texts of DISTINCT ON; empty where there is none. */
  readonly distinctOn: readonly string[]
}

/**
 * Errors: sql_invalid for a value that SELECT DISTINCT doesn't show, and where ORDER BY doesn't begin with DISTINCT ON; what order-by.ts
 * refuses.
 */
export function compileSort(select: SelectStmt, distinctOn: readonly Node[], parts: SortParts): Sorting {
  const { printer } = parts.context
  const keys = keysOf(select.sortClause ?? [], 'ORDER BY', parts)
  const values = keys.map((key) => {
    if (parts.isDistinct && key.output === undefined) checkShown(key, parts)
    const { expression, output, direction } = key
    const isOutput = output !== undefined && !printer.canFail(expression) && expression.type !== 'interval'
    return { text: valueText(expression, 'ORDER BY', parts), output, direction, isOutput }
  })
  const nodes = distinctOn.map((node) => ({ SortBy: { node } }))
  const distinct = keysOf(nodes, 'DISTINCT ON', parts)
  checkBeginning(keys, distinct, parts)
  return { values, distinctOn: distinct.map(({ expression }) => valueText(expression, 'DISTINCT ON', parts)) }
}

function checkBeginning(keys: readonly Key[], distinct: readonly Key[], { context: { printer } }: SortParts): void {
  const texts = new Set(distinct.map(({ expression }) => printer.print(expression)))
  const seen = new Set<string>()
  for (const { expression, position } of keys) {
    if (seen.size === texts.size) return
    const text = printer.print(expression)
    if (!texts.has(text)) {
      throw new RollupdError('sql_invalid', 'ORDER BY does not begin with the expressions of DISTINCT ON', {
        position,
        hint: 'Sort by those first: of the rows that share them the first is kept.',
      })
    }
    seen.add(text)
  }
}

/** Constants sort nothing. */
function keysOf(nodes: readonly Node[], clause: SortingClause, { outputs, context, analyser }: SortParts): Key[] {
  const names = outputs.map(({ name }) => name)
  return compileSortKeys(nodes, names, context, analyser, clause).flatMap(
    ({ output, expression: own, direction, position }) => {
      const expression = own ?? at(outputs, output ?? 0).expression
      return expression.kind === 'literal' ? [] : [{ expression, output, direction, position }]
    },
  )
}

/** Rows are sorted and told apart by comparing: there an error ends. */
function valueText(expression: Expression, clause: string, { context, place }: SortParts): string {
  const text = context.printer.printComparable(expression)
  return context.printer.canFail(expression)
    ? context.conditions.guard(text, place(clause))
    : toSortTerm(expression, text)
}

function checkShown({ expression, position }: Key, { outputs, context }: SortParts): void {
  const text = context.printer.print(expression)
  if (outputs.some((one) => context.printer.print(one.expression) === text)) return
  throw new RollupdError('sql_invalid', 'ORDER BY of SELECT DISTINCT takes outputs only', {
    position,
    hint: 'Add the expression to SELECT.',
  })
}
