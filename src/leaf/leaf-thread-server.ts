/**
 * Owns the leaf thread's work: calls are answered one by one, commits that wait at the same time become one transaction, and
 * what isn't urgent is done when nothing waits. When commits are taken up is decided in commit-turns.ts.
 */
import type { MessagePort } from 'node:worker_threads'
import type { PartialBatch } from '../aggregator/partial-batch.ts'
import { assert, at } from '../core/assert.ts'
import { toErrorMessage } from '../core/error-message.ts'
import { RollupdError } from '../core/errors.ts'
import type { Answer } from '../core/pending-calls.ts'
import { CommitTurns } from './commit-turns.ts'
import type { BatchResult, LeafStore } from './leaf-store.ts'
import type { CommitRequest, FromLeaf, ToLeaf } from './leaf-thread-messages.ts'

export interface LeafThreadServerOptions {
  readonly leaf: LeafStore & { maintain(): void }
  /** Of the client. */
  readonly port: MessagePort
  readonly decodeBatch: (bytes: ArrayBuffer) => PartialBatch
}

interface WaitingCommit {
  readonly batch: PartialBatch
  readonly answer: (answer: Answer<BatchResult>) => void
  readonly call: number
}

export class LeafThreadServer {
  readonly #options: LeafThreadServerOptions
  readonly #commitPorts = new Set<MessagePort>()
  readonly #turns = new CommitTurns<MessagePort>(() => this.#commitWaiting())
  /** Bounded by its senders: each rollup waits for its answer. */
  #waiting: WaitingCommit[] = []

  private constructor(options: LeafThreadServerOptions) {
    this.#options = options
  }

  /** Serves the client until its call of `close`. */
  static start(options: LeafThreadServerOptions): void {
    const server = new LeafThreadServer(options)
    options.port.on('message', (message: ToLeaf) => server.#receive(message))
    server.#send({ kind: 'ready' })
  }

  #receive(message: ToLeaf): void {
    if (message.kind === 'connect') {
      this.#connect(message.port)
      return
    }
    const { call, method, args } = message
    try {
      if (method === 'close') this.#commitWaiting()
      // the client's methods carry the port's types
      const run = this.#options.leaf[method] as (...values: readonly unknown[]) => unknown
      this.#send({ kind: 'result', call, result: run.apply(this.#options.leaf, args as unknown[]) })
    } catch (error) {
      this.#send({ kind: 'error', call, error: toErrorMessage(error) })
    }
    if (method === 'close') this.#close()
  }

  #connect(port: MessagePort): void {
    this.#commitPorts.add(port)
    port.on('close', () => {
      this.#commitPorts.delete(port)
      this.#turns.forget(port)
    })
    port.on('message', ({ call, batch: bytes }: CommitRequest) => {
      const answer = (message: Answer<BatchResult>): void => port.postMessage(message)
      const batch = this.#options.decodeBatch(bytes)
      this.#waiting.push({ call, batch, answer })
      this.#turns.note(port, batch.groupCount)
    })
  }

  #commitWaiting(): void {
    const commits = this.#waiting
    if (commits.length === 0) return
    this.#waiting = []
    this.#commit(commits)
    // messages that came during the commit are delivered first
    setImmediate(() => {
      if (this.#waiting.length === 0 && this.#commitPorts.size > 0) this.#options.leaf.maintain()
    })
  }

  #commit(commits: readonly WaitingCommit[]): void {
    try {
      const { batches } = this.#options.leaf.commit(commits.map(({ batch }) => batch))
      assert(batches.length === commits.length, 'each batch has an outcome')
      commits.forEach(({ call, answer }, index) => answer({ kind: 'result', call, result: at(batches, index) }))
    } catch (error) {
      if (commits.length > 1 && error instanceof RollupdError && error.code === 'disk_full') {
        // a batch that still finds room must not halt with one that doesn't
        for (const commit of commits) this.#commit([commit])
        return
      }
      const message = toErrorMessage(error)
      for (const { call, answer } of commits) answer({ kind: 'error', call, error: message })
    }
  }

  /** With its ports closed the thread ends by itself. */
  #close(): void {
    for (const port of this.#commitPorts) port.close()
    // an immediate of the last commit may still come, and the leaf is closed
    this.#commitPorts.clear()
    this.#options.port.close()
  }

  #send(message: FromLeaf): void {
    this.#options.port.postMessage(message)
  }
}
