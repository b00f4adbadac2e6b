/** Owns the other threads' side of the leaf thread: the leaf's methods as promises, and ports for commits. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { fromErrorMessage } from '../core/error-message.ts'
import { PendingCalls } from '../core/pending-calls.ts'
import { THREAD_LIMITS } from '../core/thread-limits.ts'
import type { HaltReason, Shard } from '../core/shard.ts'
import type { AsyncLeaf } from './async-leaf.ts'
import type {
  LeafFigures,
  LeafStore,
  RollupDefinition,
  ShardChange,
  StartPosition,
  StoredDeadLetter,
  StoredRollup,
  StoredStatus,
  StoredView,
  ViewDefinition,
} from './leaf-store.ts'
import { type FromLeaf, type LeafMethod, type LeafWorkerData, type ToLeaf } from './leaf-thread-messages.ts'

export interface LeafThreadOptions extends LeafWorkerData {
  /** Of main/leaf-worker. */
  readonly workerUrl: URL
  /** The thread ended by itself: a broken invariant, or an error that nobody expects. The process must end (law 10). */
  readonly onFatal: (error: unknown) => void
}

export class LeafThreadClient implements AsyncLeaf {
  /** The leaf is open and taken over: what is asked for before waits for that. Errors: config_invalid, disk_full, data_in_use. */
  readonly opened: Promise<void>
  readonly #worker: Worker
  readonly #calls = new PendingCalls<unknown>('the leaf is closed')
  readonly #ended: Promise<void>
  #isClosing = false

  /** Starts the thread. */
  constructor({ workerUrl, path, deadLettersMax, onFatal }: LeafThreadOptions) {
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let isOpen = false
    this.opened = opened.promise
    // who waits for it hears of a failure; until somebody does, it is no unhandled one
    opened.promise.catch(() => undefined)
    this.#ended = ended.promise
    this.#worker = new Worker(workerUrl, {
      resourceLimits: THREAD_LIMITS,
      workerData: { path, deadLettersMax } satisfies LeafWorkerData,
    })
    this.#worker.on('message', (message: FromLeaf) => {
      if (message.kind === 'result' || message.kind === 'error') this.#calls.settle(message)
      else if (message.kind === 'failed') opened.reject(fromErrorMessage(message.error))
      else {
        isOpen = true
        opened.resolve()
      }
    })
    this.#worker.on('error', (error) => (isOpen ? onFatal(error) : opened.reject(error)))
    this.#worker.on('exit', (code) => {
      this.#calls.close()
      ended.resolve()
      if (!isOpen) opened.reject(new Error('the leaf thread ended before it was ready'))
      else if (!this.#isClosing && code === 0) onFatal(new Error('the leaf thread ended by itself'))
    })
  }

  /** A port for a LeafCommitPort; transfer it to the thread that commits. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#worker.postMessage({ kind: 'connect', port: port1 } satisfies ToLeaf, [port1])
    return port2
  }

  createRollup(definition: RollupDefinition): Promise<StoredRollup> {
    return this.#call('createRollup', definition)
  }

  dropRollup(name: string): Promise<void> {
    return this.#call('dropRollup', name)
  }

  putView(view: ViewDefinition): Promise<StoredView> {
    return this.#call('putView', view)
  }

  dropView(name: string): Promise<void> {
    return this.#call('dropView', name)
  }

  listViews(): Promise<StoredView[]> {
    return this.#call('listViews')
  }

  setStatus(id: number, status: StoredStatus, reason?: HaltReason): Promise<void> {
    return this.#call('setStatus', id, status, reason)
  }

  listRollups(): Promise<StoredRollup[]> {
    return this.#call('listRollups')
  }

  findRollup(name: string): Promise<StoredRollup | undefined> {
    return this.#call('findRollup', name)
  }

  addShards(id: number, shards: readonly StartPosition[], warning?: string): Promise<void> {
    return this.#call('addShards', id, shards, warning)
  }

  changeShard(id: number, shard: Shard, change: ShardChange, warning?: string): Promise<void> {
    return this.#call('changeShard', id, shard, change, warning)
  }

  listDeadLetters(id: number, limit: number, after: number): Promise<StoredDeadLetter[]> {
    return this.#call('listDeadLetters', id, limit, after)
  }

  pruneShards(id: number, shards: readonly Shard[]): Promise<void> {
    return this.#call('pruneShards', id, shards)
  }

  figures(): Promise<LeafFigures> {
    return this.#call('figures')
  }

  /** Commits what waits, closes the database and ends the thread. */
  async close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true
      // one that couldn't be opened has nothing to commit, and its thread ends by itself
      const isOpen = await this.opened.then(
        () => true,
        () => false,
      )
      if (isOpen) await this.#call('close')
    }
    await this.#ended
  }

  #call<Method extends LeafMethod>(
    method: Method,
    ...args: Parameters<LeafStore[Method]>
  ): Promise<ReturnType<LeafStore[Method]>> {
    const answered = this.#calls.send((call) =>
      this.#worker.postMessage({ kind: 'call', call, method, args } satisfies ToLeaf),
    )
    return answered as Promise<ReturnType<LeafStore[Method]>>
  }
}
