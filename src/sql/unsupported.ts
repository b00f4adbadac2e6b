/** Owns the refusal of what SQL has and rollupd has not. */
import { RollupdError } from '../core/errors.ts'

const HINT = 'docs/SQL.md lists what is supported.'

/** The error sql_unsupported, to be thrown. */
export function unsupported(message: string, position: number, hint = HINT): RollupdError {
  return new RollupdError('sql_unsupported', message, { position, hint })
}
