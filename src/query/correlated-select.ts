/** Owns SELECTs inside of others: whether one reads names of those around it, and what it then leaves to them. */
import { at } from '../core/assert.ts'
import type { Expression } from '../sql/expression.ts'
import type { SelectStmt } from '../sql/parse-statement.ts'
import type { NamePath } from '../sql/scope.ts'
import type { CompileContext, OuterNames, Surroundings } from './compile-context.ts'
import type { SelectPlan } from './select-plan.ts'

/** Hidden groups are counted behind the statement, where there is no row around: of a correlated SELECT all that the rollup hides are. */
export function compileInnerSelect(
  select: SelectStmt,
  { ctes, outer }: Surroundings & { readonly outer: OuterNames },
  context: CompileContext,
): SelectPlan {
  const counted = context.hiddenGroups.length
  const names = new NotedNames(outer)
  const plan = context.compileSelect(select, { ctes, outer: names })
  for (let index = counted; names.isRead && index < context.hiddenGroups.length; index++) {
    const { hiding } = at(context.hiddenGroups, index)
    context.hiddenGroups[index] = { hiding, sqlText: () => hiding.countAll() }
  }
  return plan
}

/** Notes whether a column was read. */
class NotedNames implements OuterNames {
  isRead = false
  readonly #outer: OuterNames

  constructor(outer: OuterNames) {
    this.#outer = outer
  }

  column(path: NamePath, position: number): Expression {
    this.isRead = true
    return this.#outer.column(path, position)
  }

  hasColumn(path: readonly (string | number)[]): boolean {
    return this.#outer.hasColumn(path)
  }

  columnNames(): readonly string[] {
    return this.#outer.columnNames()
  }
}
