/** Owns how errors pass between threads and processes: the class of an error does not survive a structured clone. */
import { type ErrorCode, RollupdError } from './errors.ts'

/** A RollupdError without its cause, which stays where it was met. */
export interface ErrorMessage {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
  readonly position: number | undefined
  readonly detail: unknown
}

/** Anything that isn't a RollupdError is thrown again: it ends the thread, and with it the process (law 10). */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof RollupdError)) throw error
  const { code, message, hint, position, detail } = error
  return { code, message, hint, position, detail }
}

export function fromErrorMessage({ code, message, hint, position, detail }: ErrorMessage): RollupdError {
  return new RollupdError(code, message, { hint, position, detail })
}
