/** Owns that operations on one name run one after the other. */
export class ExclusiveQueues {
  /** The end of each name's queue. */
  readonly #ends = new Map<string, Promise<unknown>>()

  /** Runs after all that was asked for before, whether that failed or not. Errors: the operation's. */
  async run<T>(name: string, operation: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(name) ?? Promise.resolve()
    const running = before.then(operation, operation)
    const settled = running.then(
      () => undefined,
      () => undefined,
    )
    this.#ends.set(name, settled)
    try {
      return await running
    } finally {
      if (this.#ends.get(name) === settled) this.#ends.delete(name)
    }
  }
}
