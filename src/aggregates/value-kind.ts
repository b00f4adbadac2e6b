/** Owns the names of the kinds of values as messages call them, and the error of a value that an aggregate doesn't take. */
import { TAG, type CellError, type Registers } from '../core/registers.ts'

const OPENING_BRACKET = 0x5b

/** boolean, number, text, timestamptz, interval, array, object, null, error */
export function kindName(r: Registers, register: number): string {
  switch (r.tag[register]) {
    case TAG.NULL:
      return 'null'
    case TAG.BOOLEAN:
      return 'boolean'
    case TAG.TEXT:
      return 'text'
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      return 'timestamptz'
    case TAG.INTERVAL:
      return 'interval'
    case TAG.JSON:
      return r.bytesOf(register)[0] === OPENING_BRACKET ? 'array' : 'object'
    case TAG.ERROR:
      return 'error'
    default:
      return 'number'
  }
}

export function wrongKind(aggregate: string, r: Registers, register: number): CellError {
  return { code: 'wrong_kind', message: `${aggregate} does not take a value of kind ${kindName(r, register)}` }
}
