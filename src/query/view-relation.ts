/** Owns views in FROM: the SELECT of one, compiled where it stands, as a subquery would be. */
import { RollupdError } from '../core/errors.ts'
import { parseStatement } from '../sql/parse-statement.ts'
import { NO_CTES, type CompileContext } from './compile-context.ts'
import type { CatalogView } from './query-catalog.ts'
import { SelectRelation } from './select-relation.ts'

/** Errors: sql_invalid with the path where views go in a circle; what the view's statement is refused for, naming the view. */
export function compileView(
  view: CatalogView,
  alias: string,
  context: CompileContext,
  position: number,
): SelectRelation {
  if (context.views.includes(view.name)) {
    const path = [...context.views, view.name].join(' -> ')
    throw new RollupdError('sql_invalid', `the view "${view.name}" reads itself: ${path}`, {
      position,
      hint: 'A view reads rollups, and views that do not read it.',
    })
  }
  const inside = context.ofView(view.name, parseStatement(view.sql), position)
  try {
    const plan = inside.compileSelect(inside.statement.select, { ctes: NO_CTES, outer: undefined })
    return new SelectRelation(alias, plan, plan.columns)
  } catch (error) {
    if (!(error instanceof RollupdError)) throw error
    // its own position is one of the view's text
    throw new RollupdError(error.code, `in the view "${view.name}": ${error.message}`, {
      position,
      hint: error.hint,
      cause: error,
    })
  }
}
