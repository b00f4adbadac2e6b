/** Owns the ingest thread's side of the commits: batches go to the leaf thread as transferred buffers. */
import type { MessagePort } from 'node:worker_threads'
import { type Answer, PendingCalls } from '../core/pending-calls.ts'
import type { BatchResult } from './leaf-store.ts'
import type { CommitRequest } from './leaf-thread-messages.ts'

export class LeafCommitPort {
  readonly #port: MessagePort
  readonly #calls = new PendingCalls<BatchResult>('the leaf is closed')

  /** `port` comes from LeafThreadClient.connect. */
  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (answer: Answer<BatchResult>) => this.#calls.settle(answer))
    port.on('close', () => this.#calls.close())
  }

  /**
   * Commits the bytes of a partial batch, together with what others commit at that time. The buffer is transferred: the caller
   * can't use it afterwards. Callers bound the queue by waiting for the answer before their next batch.
   * Errors: disk_full (nothing of it is written), owner_lost, shutting_down.
   */
  commit(batch: ArrayBuffer): Promise<BatchResult> {
    return this.#calls.send((call) => this.#port.postMessage({ call, batch } satisfies CommitRequest, [batch]))
  }

  close(): void {
    this.#port.close()
  }
}
