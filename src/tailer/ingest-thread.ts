/** Owns the ingest thread's side of the messages. */
import type { MessagePort } from 'node:worker_threads'
import { toErrorMessage } from '../core/error-message.ts'
import type { FromIngest, IngestRollup, ToIngest } from './ingest-messages.ts'
import type { RecordSource } from './record-source.ts'
import type { BatchCommitter, ShardReport } from './ingest-events.ts'
import type { ReadingPace } from './reading-pace.ts'
import { IngestSets } from './ingest-sets.ts'

/** How often the service hears how far reading is; what a person sees in a status is no older. */
const REPORT_MS = 100

export interface IngestThreadOptions {
  readonly port: Pick<MessagePort, 'postMessage' | 'on' | 'close'>
  readonly source: RecordSource
  readonly committer: BatchCommitter
  readonly deadLettersMax: number
  /** Absent: READING_PACE. */
  readonly pace?: ReadingPace
}

export class IngestThread {
  readonly #options: IngestThreadOptions
  readonly #sets: IngestSets
  readonly #reporting: NodeJS.Timeout

  constructor(options: IngestThreadOptions) {
    this.#options = options
    const { source, committer, deadLettersMax, pace } = options
    this.#sets = new IngestSets({ source, committer, deadLettersMax, clock: () => performance.now(), pace })
    options.port.on('message', (message: ToIngest) => void this.#receive(message))
    this.#reporting = setInterval(() => this.#reportAll(), REPORT_MS)
  }

  async #receive(message: ToIngest): Promise<void> {
    try {
      await this.#handle(message)
      this.#send({ kind: 'result', call: message.call, result: undefined })
    } catch (error) {
      this.#send({ kind: 'error', call: message.call, error: toErrorMessage(error) })
    }
    if (message.kind === 'close') this.#options.port.close()
  }

  async #handle(message: ToIngest): Promise<void> {
    switch (message.kind) {
      case 'start':
        return this.#start(message.rollup)
      case 'stop':
        return this.#report(message.rollupId, await this.#sets.stop(message.rollupId))
      case 'add_shards':
        return await this.#sets.addShards(message.rollupId, message.shards)
      case 'close':
        clearInterval(this.#reporting)
        await this.#sets.close()
        this.#reportAll()
        await this.#options.source.close()
    }
  }

  #start(rollup: IngestRollup): void {
    const { id } = rollup
    this.#sets.start(rollup, {
      shardHalted: (shard, reason, nextOffset) =>
        this.#send({ kind: 'shard_halted', rollupId: id, shard, reason, nextOffset }),
      rollupHalted: (reason) => this.#send({ kind: 'rollup_halted', rollupId: id, reason }),
      committed: (batch) => {
        this.#send({ kind: 'committed', rollupId: id, batch })
        this.#report(id, this.#sets.report(id))
      },
    })
  }

  #reportAll(): void {
    for (const id of this.#sets.rollupIds) this.#report(id, this.#sets.report(id))
  }

  #report(rollupId: number, shards: readonly ShardReport[] | undefined): void {
    if (shards !== undefined) this.#send({ kind: 'report', rollupId, shards })
  }

  #send(message: FromIngest): void {
    this.#options.port.postMessage(message)
  }
}
