/**
 * Owns the service's side of previews: the thread that runs them, and what happens to a preview that takes too long, whose client has gone,
 * or whose thread ends. Reading, folding and merging would hold up all other requests on the main thread.
 */
import type { Worker } from 'node:worker_threads'
import { RollupdError } from '../../core/errors.ts'
import { PendingCalls } from '../../core/pending-calls.ts'
import type { PreviewRequest } from './preview-request.ts'
import type { FromPreview, ToPreview } from './preview-thread.ts'

export interface PreviewLimits {
  /** From its turn on. */
  readonly milliseconds: number
  /** More that run or wait for their turn are refused. */
  readonly open: number
}

/** A large sample with steps takes some seconds, reading at most five. */
const LIMITS: PreviewLimits = { milliseconds: 20_000, open: 16 }

interface Thread {
  readonly worker: Worker
  readonly calls: PendingCalls<Uint8Array<ArrayBuffer>>
}

/** What a call hears of a thread that ended by itself: its memory is bounded, and nobody stopped it. */
function toEnded(error: unknown): unknown {
  if (!(error instanceof RollupdError) || error.code !== 'shutting_down') return error
  return new RollupdError('query_failed', 'the preview thread ended, most likely for want of memory', {
    hint: 'Ask for a smaller sample.',
    cause: error,
  })
}

export class PreviewClient {
  readonly #startWorker: () => Worker
  readonly #limits: PreviewLimits
  #thread: Thread | undefined
  #last: Promise<unknown> = Promise.resolve()
  #open = 0
  #isClosed = false

  constructor(startWorker: () => Worker, limits = LIMITS) {
    this.#startWorker = startWorker
    this.#limits = limits
  }

  /** Starts the thread ahead of the first preview, which would wait half a second for it. */
  prepare(): void {
    this.#thread ??= this.#start()
  }

  /**
   * The answer as JSON bytes; `client` aborts when nobody waits for it any more, which saves a preview that has not begun.
   * Errors: those of runPreview; too_many_queries, query_timeout, shutting_down, the signal's reason.
   */
  async run(request: PreviewRequest, client: AbortSignal): Promise<Uint8Array> {
    if (this.#open >= this.#limits.open) {
      throw new RollupdError('too_many_queries', `${this.#limits.open} previews are waiting already`, {
        hint: 'Try again in a moment.',
      })
    }
    this.#open++
    const running = this.#last.then(() => this.#runNow(request, client))
    this.#last = running.catch(() => undefined)
    try {
      return await running
    } finally {
      this.#open--
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #runNow(request: PreviewRequest, client: AbortSignal): Promise<Uint8Array> {
    client.throwIfAborted()
    if (this.#isClosed) throw new RollupdError('shutting_down', 'the service is shutting down')
    const { worker, calls } = (this.#thread ??= this.#start())
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      void this.#end()
    }, this.#limits.milliseconds)
    try {
      return await calls.send((call) => worker.postMessage({ call, request } satisfies ToPreview))
    } catch (error) {
      if (!isLate) throw this.#isClosed ? error : toEnded(error)
      throw new RollupdError('query_timeout', `the preview took longer than ${this.#limits.milliseconds} ms`, {
        hint: 'Ask for a smaller sample.',
      })
    } finally {
      clearTimeout(timer)
    }
  }

  #start(): Thread {
    const worker = this.#startWorker()
    const thread: Thread = { worker, calls: new PendingCalls('the preview thread has ended') }
    const forget = () => {
      thread.calls.close()
      if (this.#thread === thread) this.#thread = undefined
    }
    worker.on('message', (answer: FromPreview) => thread.calls.settle(answer))
    // out of memory, most likely: its sample is lost, and the next preview starts another thread
    worker.on('error', forget)
    worker.on('exit', forget)
    return thread
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    thread?.calls.close()
    await thread?.worker.terminate()
  }
}
