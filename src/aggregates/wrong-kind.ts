/** Owns the error of a value that an aggregate doesn't take. */
import type { CellError, Registers } from '../core/registers.ts'
import { kindName } from '../core/value-kind.ts'

/** `sum doesn't take text` */
export function wrongKind(aggregate: string, r: Registers, index: number): CellError {
  return { code: 'wrong_kind', message: `${aggregate} doesn't take ${kindName(r, index)}` }
}
