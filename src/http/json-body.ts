/** Owns how JSON bodies are read: all digits of integers are kept, and text that isn't UTF-8 is refused instead of repaired. */
import { RollupdError } from '../core/errors.ts'

/** Digits of an integer in a record; longer ones have no place in SQL, and turning millions of them into a bigint takes seconds. */
const INTEGER_DIGITS_MAX = 1_000

interface ReviverContext {
  readonly source?: string
}

/**
 * The value of a body; undefined for an empty one. An integer that a double can't hold is a bigint. `__proto__` is an ordinary
 * field. Errors: bad_request.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(decodeText(bytes), keepDigits)
  } catch (cause) {
    if (cause instanceof RollupdError) throw cause
    // reading recursive values ends with the stack
    const reason = cause instanceof RangeError ? 'it is nested too deeply' : (cause as Error).message
    throw new RollupdError('bad_request', `the body is not JSON: ${reason}`, { cause })
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new RollupdError('bad_request', 'the body is not valid UTF-8', { cause })
  }
}

function keepDigits(_key: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source ?? ''
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value
  if (source.length <= INTEGER_DIGITS_MAX) return BigInt(source)
  throw new RollupdError('bad_request', `the body has an integer of more than ${INTEGER_DIGITS_MAX} digits`)
}
