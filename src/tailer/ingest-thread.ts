/** Owns the ingest thread's side of the messages: one RollupIngest per rollup that is read. */
import type { MessagePort } from 'node:worker_threads'
import { IngestFold } from '../aggregator/ingest-fold.ts'
import { assert } from '../core/assert.ts'
import { toErrorMessage } from '../core/error-message.ts'
import { RecordBatchDecoder } from '../records/record-batch-decoder.ts'
import type { FromIngest, IngestRollup, ToIngest } from './ingest-messages.ts'
import type { RecordSource } from './record-source.ts'
import type { BatchCommitter } from './ingest-events.ts'
import type { ReadingPace } from './reading-pace.ts'
import { RollupIngest } from './rollup-ingest.ts'

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
  readonly #ingests = new Map<number, RollupIngest>()
  readonly #decoder = new RecordBatchDecoder()
  readonly #reporting: NodeJS.Timeout

  constructor(options: IngestThreadOptions) {
    this.#options = options
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
        return await this.#stop(message.rollupId)
      case 'add_shards':
        return this.#ingests.get(message.rollupId)?.addShards(message.shards)
      case 'close':
        clearInterval(this.#reporting)
        await Promise.all([...this.#ingests.keys()].map((id) => this.#stop(id)))
        await this.#options.source.close()
    }
  }

  #start({ id, topic, plan, onError, shards }: IngestRollup): void {
    assert(!this.#ingests.has(id), `rollup ${id} is read already`)
    const { source, committer, deadLettersMax, pace } = this.#options
    const ingest = new RollupIngest({
      topic,
      shards,
      source,
      fold: new IngestFold({ rollupId: id, plan, onError, deadLettersMax }),
      decoder: this.#decoder,
      committer,
      clock: () => performance.now(),
      ...(pace === undefined ? {} : { pace }),
      events: {
        shardHalted: (shard, reason, nextOffset) =>
          this.#send({ kind: 'shard_halted', rollupId: id, shard, reason, nextOffset }),
        rollupHalted: (reason) => this.#send({ kind: 'rollup_halted', rollupId: id, reason }),
        committed: (batch) => {
          this.#send({ kind: 'committed', rollupId: id, batch })
          this.#report(id, ingest)
        },
      },
    })
    this.#ingests.set(id, ingest)
    ingest.start()
  }

  async #stop(rollupId: number): Promise<void> {
    const ingest = this.#ingests.get(rollupId)
    if (ingest === undefined) return
    await ingest.stop()
    this.#report(rollupId, ingest)
    this.#ingests.delete(rollupId)
  }

  #reportAll(): void {
    for (const [id, ingest] of this.#ingests) this.#report(id, ingest)
  }

  #report(rollupId: number, ingest: RollupIngest): void {
    this.#send({ kind: 'report', rollupId, shards: ingest.report() })
  }

  #send(message: FromIngest): void {
    this.#options.port.postMessage(message)
  }
}
