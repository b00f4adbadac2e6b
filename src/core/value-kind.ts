/** Owns how messages call the kind of a value. */
import { type Registers, TAG } from './registers.ts'

const OPENING_BRACKET = 0x5b
const SPACE = 0x20

/** The kind of a register's value with its article: `a number`, `text`, `an object`. */
export function kindName(r: Registers, index: number): string {
  switch (r.tag[index]) {
    case TAG.NULL:
      return 'null'
    case TAG.BOOLEAN:
      return 'a boolean'
    case TAG.TEXT:
      return 'text'
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      return 'a time'
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      return 'a timestamp without time zone'
    case TAG.DATE:
      return 'a date'
    case TAG.JSON:
      return isArray(r, index) ? 'an array' : 'an object'
    case TAG.INTERVAL:
    case TAG.BIG_INTERVAL:
      return 'an interval'
    default:
      return 'a number'
  }
}

/** Whether a JSON register is an array; else it is an object. */
export function isArray(r: Registers, index: number): boolean {
  const bytes = r.ref[index] as Uint8Array
  for (let at = r.num[index] as number; at < (r.end[index] as number); at++) {
    if ((bytes[at] as number) > SPACE) return bytes[at] === OPENING_BRACKET
  }
  return false
}
