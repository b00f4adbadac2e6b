/** Owns the refusal of what SQL has and rollupd has not. */
import { RollupdError } from '../core/errors.ts'

/** The error sql_unsupported, to be thrown. `position`: 0 where the grammar knows none. */
export function unsupported(message: string, position: number, hint?: string): RollupdError {
  return new RollupdError('sql_unsupported', message, { position, hint })
}
