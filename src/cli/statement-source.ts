/** Owns the statements that the command line sends: where they come from, and the place in them that an error means. */
import { readFileSync } from 'node:fs'
import { RollupdError } from '../core/errors.ts'

const STANDARD_INPUT = 0
/** Of the line that is shown with an error. */
const EXCERPT_CHARACTERS_MAX = 100

export interface StatementSource {
  /** Undefined: an argument of the command line. */
  readonly file: string | undefined
  readonly sql: string
}

/** `-` reads standard input. Errors: bad_request naming the file. */
export function readStatement(file: string): StatementSource {
  try {
    const text = readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8')
    return { file: file === '-' ? 'standard input' : file, sql: withoutSemicolon(text) }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new RollupdError('bad_request', `statement file "${file}" can't be read: ${why}`, {
      hint: 'Write the statement into a file and name that; - reads standard input.',
      cause,
    })
  }
}

/** A statement in the command line itself; `-` reads standard input. */
export function readArgument(argument: string): StatementSource {
  return argument === '-' ? readStatement(argument) : { file: undefined, sql: withoutSemicolon(argument) }
}

// the start stays as it is, so that positions are those of the file
function withoutSemicolon(text: string): string {
  return text.trimEnd().replace(/;$/, '')
}

/** Runs what sends the statement; its errors then show the line that they mean, with a mark below the place. */
export async function showingPlace<T>(source: StatementSource, send: () => Promise<T> | T): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof RollupdError) || error.position === undefined) throw error
    const { code, message, hint, position, detail } = error
    const lines = [...excerpt(source, position), ...(hint === undefined ? [] : [hint])]
    throw new RollupdError(code, message, { hint: lines.join('\n'), detail, cause: error })
  }
}

/** `position` is the 1-based character of the statement; it may lie behind its end. */
export function excerpt({ file, sql }: StatementSource, position: number): string[] {
  const before = Array.from(sql).slice(0, position - 1)
  const row = before.filter((character) => character === '\n').length
  const column = before.length - 1 - before.lastIndexOf('\n')
  const line = Array.from((sql.split('\n')[row] ?? '').replaceAll(/[\t\r]/g, ' '))
  // a long line is shown around the place
  const from = column < EXCERPT_CHARACTERS_MAX ? 0 : column - EXCERPT_CHARACTERS_MAX / 2
  const shown = line.slice(from, from + EXCERPT_CHARACTERS_MAX).join('')
  const place = file === undefined ? [] : [`${file}:${row + 1}:${column + 1}`]
  return [...place, `  ${shown}`, `  ${' '.repeat(column - from)}^`]
}
