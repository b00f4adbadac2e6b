/**
 * Owns the one error class of what a user or an operator can meet, and the table of its codes. Broken invariants are
 * `BrokenInvariant` (assert.ts); bad records are data (registers.ts), never errors.
 */

interface ErrorKind {
  /** HTTP status of the answer. */
  readonly status: number
  /** Exit code of the command line. */
  readonly exit: number
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean
}

const user = (status: number): ErrorKind => ({ status, exit: 1, retryable: false })
const passing = (status: number): ErrorKind => ({ status, exit: 3, retryable: true })

/** Every code of an error answer. Branch on the code, never on the message. */
export const ERROR_CODES = {
  // the statement
  sql_syntax: user(422),
  sql_unsupported: user(422),
  sql_invalid: user(422),
  sql_unknown_function: user(422),
  sql_unknown_column: user(422),
  sql_type_mismatch: user(422),
  sql_ambiguous: user(422),
  // the request
  bad_request: user(400),
  bad_parameter: user(422),
  unauthorized: user(401),
  not_found: user(404),
  method_not_allowed: user(405),
  unknown_rollup: user(404),
  unknown_view: user(404),
  unknown_topic: user(404),
  already_exists: user(409),
  conflict: user(409),
  topic_in_use: user(409),
  rollup_in_use: user(409),
  body_too_large: user(413),
  statement_too_long: user(413),
  unsupported_media_type: user(415),
  start_out_of_range: user(422),
  // a query
  cell_error: user(422),
  not_reading: user(409),
  query_timeout: passing(504),
  at_least_timeout: passing(504),
  too_many_queries: passing(429),
  query_failed: user(500),
  // the surroundings
  broker_away: passing(503),
  disk_full: passing(503),
  data_in_use: { status: 503, exit: 4, retryable: false },
  owner_lost: { status: 503, exit: 4, retryable: false },
  shutting_down: passing(503),
  server_away: { status: 503, exit: 3, retryable: true },
  config_invalid: { status: 500, exit: 2, retryable: false },
  internal: { status: 500, exit: 70, retryable: false },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERROR_CODES

export interface ErrorExtras {
  /** What to do next, a full sentence. */
  readonly hint?: string | undefined
  /** 1-based character of the statement; 0, where the grammar knows none, is left out. */
  readonly position?: number | undefined
  readonly detail?: unknown
  readonly cause?: unknown
}

/** Thrown when a user's request or an operating condition can't be met. Message: one line, lower case, names the thing. */
export class RollupdError extends Error {
  override readonly name = 'RollupdError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly position: number | undefined
  readonly detail: unknown

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.code = code
    this.hint = extras.hint
    this.position = extras.position === 0 ? undefined : extras.position
    this.detail = extras.detail
  }

  get kind(): ErrorKind {
    return ERROR_CODES[this.code]
  }
}
