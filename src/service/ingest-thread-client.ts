/** Owns the service's side of the messages with the ingest thread. */
import type { Worker } from 'node:worker_threads'
import { PendingCalls } from '../core/pending-calls.ts'
import type { StoredRollup } from '../leaf/leaf-store.ts'
import type { FromIngest, ToIngest } from '../tailer/ingest-messages.ts'
import type { ShardReport } from '../tailer/ingest-events.ts'
import type { ShardStart } from '../tailer/shard-cursor.ts'
import type { IngestThreadEvents } from './ingest-control.ts'
import type { ThreadControl } from './ingest-threads.ts'

/** A message without its number. */
type Call<Message> = Message extends unknown ? Omit<Message, 'call'> : never

export class IngestThreadClient implements ThreadControl {
  readonly #startWorker: () => Worker
  readonly #onFatal: (error: unknown) => void
  readonly #calls = new PendingCalls<undefined>('the ingest thread has ended')
  readonly #reports = new Map<number, readonly ShardReport[]>()
  readonly #ended = Promise.withResolvers<void>()
  #worker: Worker | undefined
  #events: IngestThreadEvents | undefined
  #isClosing = false

  /** `onFatal`: the thread has failed, or ended although nobody closed it. */
  constructor(startWorker: () => Worker, onFatal: (error: unknown) => void) {
    this.#startWorker = startWorker
    this.#onFatal = onFatal
  }

  /** Starts the thread ahead of the first call, which would wait for it. */
  prepare(): void {
    if (!this.#isClosing) this.#worker ??= this.#start()
  }

  #start(): Worker {
    const worker = this.#startWorker()
    worker.on('message', (message: FromIngest) => this.#receive(message))
    worker.on('error', this.#onFatal)
    worker.on('exit', (code) => {
      this.#calls.close()
      this.#ended.resolve()
      if (!this.#isClosing && code === 0) this.#onFatal(new Error('the ingest thread ended by itself'))
    })
    return worker
  }

  /** Whom to tell; set once, before the first start. */
  listen(events: IngestThreadEvents): void {
    this.#events = events
  }

  async start(rollup: StoredRollup): Promise<void> {
    const { id, topic, plan, onError } = rollup
    const shards = rollup.shards.filter((shard) => !shard.closed)
    this.#reports.delete(id)
    await this.#call({ kind: 'start', rollup: { id, topic, plan, onError, shards } })
  }

  async stop(rollupId: number): Promise<void> {
    await this.#call({ kind: 'stop', rollupId })
  }

  async addShards(rollupId: number, shards: readonly ShardStart[]): Promise<void> {
    await this.#call({ kind: 'add_shards', rollupId, shards })
  }

  report(rollupId: number): readonly ShardReport[] {
    return this.#reports.get(rollupId) ?? []
  }

  /** What is folded gets stored; returns when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#worker === undefined) {
      this.#calls.close()
      return
    }
    await this.#call({ kind: 'close' })
    await this.#ended.promise
  }

  #call(message: Call<ToIngest>): Promise<void> {
    this.prepare()
    return this.#calls.send((call) => this.#worker?.postMessage({ ...message, call }))
  }

  #receive(message: FromIngest): void {
    switch (message.kind) {
      case 'result':
      case 'error':
        this.#calls.settle(message)
        return
      case 'report':
        this.#reports.set(message.rollupId, message.shards)
        return
      case 'committed':
        this.#events?.committed(message.rollupId, message.batch)
        return
      case 'shard_halted':
        this.#events?.shardHalted(message.rollupId, message.shard, message.reason, message.nextOffset)
        return
      case 'rollup_halted':
        this.#events?.rollupHalted(message.rollupId, message.reason)
    }
  }
}
