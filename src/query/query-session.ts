/**
 * Owns what the functions of one connection share while a query runs: registers, the arena of texts, and the list of errors that
 * were met where nothing can carry them on (conditions, sort keys).
 */
import type { Cell } from '../core/scalar-type.ts'
import type { CellError } from '../core/registers.ts'
import { Registers } from '../core/registers.ts'
import { TextArena } from './cell-codec.ts'

/** Arguments 0 to 3, as the function table's entries take at most four, and the result. */
export const RESULT_REGISTER = 4
const REGISTER_COUNT = 5
/** Entries of `errors` in an answer: enough to see what is wrong, however many cells fail. */
export const ERRORS_MAX = 100

/** A place of the statement where an error ends as NULL and is noted. */
export interface GuardSite {
  /** For the message: `WHERE`, `ORDER BY`. */
  readonly what: string
}

export interface NotedError {
  readonly site: GuardSite
  readonly error: CellError
  /** Grouping values as JSON text, where the site knows its group. */
  group: string | undefined
}

export class QuerySession {
  readonly registers = new Registers(REGISTER_COUNT)
  readonly arena = new TextArena()
  readonly noted: NotedError[] = []
  kindMismatches = 0
  /** What aggregates say of values that are less than was asked for, each once. */
  readonly warnings = new Set<string>()
  /** The guard's last error, until the group of its row is noted. */
  #open: NotedError | undefined

  /** Before each query. */
  reset(): void {
    this.noted.length = 0
    this.kindMismatches = 0
    this.warnings.clear()
    this.#open = undefined
  }

  note(site: GuardSite, error: CellError): void {
    this.#open = undefined
    if (this.noted.length >= ERRORS_MAX) return
    this.#open = { site, error, group: undefined }
    this.noted.push(this.#open)
  }

  /** Names the group of the error noted last; nothing where there is none open. */
  noteGroup(describe: (cells: readonly Cell[]) => string, cells: readonly Cell[]): void {
    if (this.#open === undefined) return
    this.#open.group = describe(cells)
    this.#open = undefined
  }

  /** After the finalizing of an aggregate. */
  takeWarning(): void {
    const { warning } = this.registers
    if (warning === null) return
    this.registers.warning = null
    this.warnings.add(warning)
  }

  /** After a call of the function table: counts a comparison that met two kinds. */
  countMismatch(): void {
    if (!this.registers.kindMismatch) return
    this.registers.kindMismatch = false
    this.kindMismatches += 1
  }
}
