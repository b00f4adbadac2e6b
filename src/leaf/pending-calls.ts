/** Owns the calls that one side of a message port waits for: their numbers and their promises. */
import { RollupdError } from '../core/errors.ts'
import { type Answer, fromErrorMessage } from './leaf-thread-messages.ts'

interface PendingCall<Result> {
  readonly resolve: (result: Result) => void
  readonly reject: (error: RollupdError) => void
}

export class PendingCalls<Result> {
  readonly #calls = new Map<number, PendingCall<Result>>()
  #last = 0
  #isClosed = false

  /** Sends a numbered message and waits for its answer. Errors: what the answer says; shutting_down when the other side is gone. */
  send(post: (call: number) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(leafGone())
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
    for (const { reject } of this.#calls.values()) reject(leafGone())
    this.#calls.clear()
  }
}

function leafGone(): RollupdError {
  return new RollupdError('shutting_down', 'the leaf is closed')
}
