/** Owns the check of a refusal: its code, the text that its position points at, and what its message and hint say. */
import { RollupdError } from '../../src/core/errors.ts'

/** [statement, code, what stands at the position ('' for none, '$' for the end), what message and hint contain] */
export type Refusal = readonly [sql: string, code: string, at: string, ...says: string[]]

/**
 * How the statement was refused, in the refusal's own form, so that a test compares both: expected texts that message and
 * hint don't contain are replaced by what these say.
 */
export function refusalOf(run: () => unknown, [sql, , at, ...says]: Refusal): Refusal {
  const { code, position, message, hint } = errorOf(run, sql)
  const rest =
    position === undefined
      ? ''
      : Array.from(sql)
          .slice(position - 1)
          .join('')
  const found = position !== undefined && rest === '' ? '$' : rest.slice(0, at.length)
  const told = `${message}\n${hint ?? ''}`
  if (message.includes('\n')) throw new Error(`a message of several lines: ${message}`)
  return [sql, code, found, ...says.map((text) => (told.includes(text) ? text : told))]
}

function errorOf(run: () => unknown, sql: string): RollupdError {
  try {
    run()
  } catch (error) {
    if (error instanceof RollupdError) return error
    throw new Error(`an error of another class: ${sql}`, { cause: error })
  }
  throw new Error(`not refused: ${sql}`)
}
