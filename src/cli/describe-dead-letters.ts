/** Owns how dead letters are shown to a person. */
import { cutText, formatTable } from './text-table.ts'

/** Enough to know a record again; --json has all of it. */
const VALUE_CHARACTERS_MAX = 60

export interface DeadLetters {
  readonly dead_letters: readonly {
    readonly partition: number
    readonly offset: number
    readonly code: string
    readonly reason: string
    /** Absent where the bytes are no text. */
    readonly value?: string
  }[]
  /** There are more: pass it as `after`. */
  readonly next_after?: number
}

export function describeDeadLetters({ dead_letters: letters, next_after: next }: DeadLetters): string {
  if (letters.length === 0) return 'no dead letters'
  const table = formatTable(
    ['PARTITION', 'OFFSET', 'CODE', 'REASON', 'VALUE'],
    letters.map(({ partition, offset, code, reason, value = '(binary)' }) => [
      String(partition),
      String(offset),
      code,
      reason,
      cutText(value, VALUE_CHARACTERS_MAX),
    ]),
  )
  return next === undefined ? table : `${table}\nmore of them: --after ${next}`
}
