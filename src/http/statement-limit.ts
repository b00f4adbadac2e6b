/** Owns the bound on a statement's length, for rollups and queries. */
import { RollupdError } from '../core/errors.ts'

/** Errors: statement_too_long. */
export function refuseLongStatement(sql: string, charactersMax: number): void {
  if (sql.length <= charactersMax) return
  throw new RollupdError(
    'statement_too_long',
    `the statement has ${sql.length} characters, at most ${charactersMax} are taken`,
    {
      hint: 'Raise the option limits.statement_characters, or shorten it.',
    },
  )
}
