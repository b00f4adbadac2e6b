/** Owns the error of a value that an aggregate doesn't take, and the check for numbers. */
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import { kindName } from '../core/value-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const {
  NULL: TAG_NULL,
  INTEGER: TAG_INTEGER,
  BIG_INTEGER: TAG_BIG_INTEGER,
  DOUBLE: TAG_DOUBLE,
  NUMERIC: TAG_NUMERIC,
} = TAG

/** Null for numbers of any form and NULL, else the error. */
export function checkNumber(aggregate: string, r: Registers, index: number): CellError | null {
  switch (r.tag[index]) {
    case TAG_NULL:
    case TAG_INTEGER:
    case TAG_BIG_INTEGER:
    case TAG_DOUBLE:
    case TAG_NUMERIC:
      return null
    default:
      return wrongKind(aggregate, r, index)
  }
}

/** `sum doesn't take text` */
export function wrongKind(aggregate: string, r: Registers, index: number): CellError {
  return { code: 'wrong_kind', message: `${aggregate} doesn't take ${kindName(r, index)}` }
}
