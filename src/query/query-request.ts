/**
 * Owns what a query is asked with and what comes back, as the service side and the query processes exchange it. All of it can
 * pass between processes by structured clone.
 */
import type { ErrorMessage } from '../core/error-message.ts'
import type { ScalarType } from '../core/scalar-type.ts'

export const ANSWER_FORMATS = ['json', 'ndjson', 'csv'] as const
export type AnswerFormat = (typeof ANSWER_FORMATS)[number]

export const CONTENT_TYPES: Readonly<Record<AnswerFormat, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** An array for `$1`, an object for `:name`. Values: null, boolean, number, bigint, text. */
export type QueryParameters = readonly unknown[] | Readonly<Record<string, unknown>>

export interface QueryRequest {
  readonly sql: string
  readonly params?: QueryParameters | undefined
  /** Of the whole: waiting in the queue counts. Default and maximum: QueryServiceOptions. */
  readonly timeoutMs?: number | undefined
  /** Rows of the answer; past it `truncated` is true. Default and maximum: QueryServiceOptions. */
  readonly limit?: number | undefined
  /** A failed cell fails the query (default), or is null with an entry in `errors`. */
  readonly onCellError?: 'fail' | 'null' | undefined
  /** Integers beyond 2^53 and decimals as JSON numbers with all digits (default) or as strings. */
  readonly bigNumbers?: 'number' | 'string' | undefined
  readonly format?: AnswerFormat | undefined
}

/** What a query process gets: everything decided. */
export interface ProcessRequest {
  readonly sql: string
  readonly params: QueryParameters
  readonly rowsMax: number
  readonly bytesMax: number
  readonly onCellError: 'fail' | 'null'
  readonly bigNumbers: 'number' | 'string'
  readonly format: AnswerFormat
  /** Only compiled, as the view of this name: the answer has its columns and no rows. */
  readonly view?: string | undefined
  /** When the request came, milliseconds since 1970, for elapsed_ms. */
  readonly receivedAtMs: number
}

/** next offset by partition, by topic, by rollup. */
export type AsOf = Record<string, Record<string, Record<string, number>>>

export interface CellErrorNote {
  readonly column: string
  /** Grouping values of the cell's group as JSON text, where known. */
  readonly group?: string
  /** Index of the row in the answer, from 0; absent for a condition or a sort key. */
  readonly row?: number
  readonly code: string
  readonly message: string
}

/** The contract's Result without its rows. */
export interface ResultMeta {
  readonly columns: readonly { readonly name: string; readonly type: ScalarType }[]
  readonly row_count: number
  readonly truncated: boolean
  readonly elapsed_ms: number
  /** Commit of the leaf that the answer shows. */
  readonly epoch: number
  readonly as_of: AsOf
  readonly warnings?: readonly string[]
  readonly errors?: readonly CellErrorNote[]
}

/** Where a finished answer lies: small ones travel in the message, others in a file that the reader unlinks. */
export type AnswerBody = { readonly bytes: Uint8Array } | { readonly path: string; readonly byteLength: number }

export interface ProcessAnswer {
  readonly body: AnswerBody
  readonly meta: ResultMeta
}

/** Service to process. */
export type ToProcess = {
  readonly kind: 'query'
  readonly id: number
  readonly remainingMs: number
  readonly request: ProcessRequest
}

/** Process to service. */
export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: ProcessAnswer }
  | { readonly kind: 'error'; readonly id: number; readonly error: ErrorMessage }

/** What a process ends itself with past its memory bound: nothing can be sent while a statement runs. The system's own killer sends SIGKILL. */
export const OUT_OF_MEMORY_SIGNAL = 'SIGUSR2'

/** How a process is told where and how to work: argv of the process as JSON. */
export interface ProcessOptions {
  /** The leaf's database file. */
  readonly leafPath: string
  /** Directory of spooled answers and SQLite's temporary files. */
  readonly spoolDirectory: string
  /** Resident memory at which a process ends itself, bytes. */
  readonly memoryBytesMax: number
  /** Longer statements: statement_too_long. */
  readonly statementBytesMax: number
}
