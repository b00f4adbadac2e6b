/** Owns the calls that one side of a message port waits for: their numbers and their promises. */
import { type ErrorMessage, fromErrorMessage } from './error-message.ts'
import { RollupdError } from './errors.ts'

/** What the other side says of a call. */
export type Answer<Result> =
  | { readonly kind: 'result'; readonly call: number; readonly result: Result }
  | { readonly kind: 'error'; readonly call: number; readonly error: ErrorMessage }

interface PendingCall<Result> {
  readonly resolve: (result: Result) => void
  readonly reject: (error: RollupdError) => void
}

export class PendingCalls<Result> {
  readonly #closedMessage: string
  readonly #calls = new Map<number, PendingCall<Result>>()
  #last = 0
  #isClosed = false

  /** `closedMessage`: what a call hears when the other side is gone. */
  constructor(closedMessage: string) {
    this.#closedMessage = closedMessage
  }

  /** Sends a numbered message and waits for its answer. Errors: what the answer says; shutting_down when the other side is gone. */
  send(post: (call: number) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(this.#toClosed())
        return
      }
      const call = ++this.#last
      this.#calls.set(call, { resolve, reject })
      post(call)
    })
  }

  settle(answer: Answer<Result>): void {
    const pending = this.#calls.get(answer.call)
    this.#calls.delete(answer.call)
    if (answer.kind === 'result') pending?.resolve(answer.result)
    else pending?.reject(fromErrorMessage(answer.error))
  }

  /** No answer comes any more. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#calls.values()) reject(this.#toClosed())
    this.#calls.clear()
  }

  #toClosed(): RollupdError {
    return new RollupdError('shutting_down', this.#closedMessage)
  }
}
