/** Owns the forms of SELECT that no query takes: what writes or locks, and a SELECT of nothing. */
import { RollupdError } from '../core/errors.ts'
import type { SelectStmt } from '../sql/parse-statement.ts'
import { unsupported } from '../sql/unsupported.ts'
import type { CompileContext } from './compile-context.ts'

/** Errors: sql_unsupported, sql_invalid. */
export function refuseForms(select: SelectStmt, context: CompileContext): void {
  const { intoClause, lockingClause, targetList } = select
  const positionOf = (node: unknown) => context.positionWithin(node)
  if (intoClause !== undefined)
    throw unsupported('SELECT INTO is not supported', positionOf(intoClause), 'Queries only read.')
  if (lockingClause !== undefined) {
    const position = context.statement.positionOfWord('for')
    throw unsupported('FOR UPDATE and FOR SHARE are not supported', position, 'Queries only read.')
  }
  // PostgreSQL gives rows without columns then; no answer has a form for them
  if (targetList === undefined) {
    const position = Math.max(1, positionOf(select.fromClause))
    throw new RollupdError('sql_invalid', 'SELECT has no outputs', { position, hint: 'Name columns or *.' })
  }
}
