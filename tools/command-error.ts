/** Owns the error that ./dev prints as one line. */

/** Thrown when what the caller asked for can't be done. Message: one line, lower case; hint: what to do, a full sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
