/**
 * Owns the query processes of a service: some kept warm, more up to a bound while all are busy, and a bounded queue before
 * them. A query that never ends costs its process, nothing else: it is killed at the deadline and replaced.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { QueryProcessHandle, toTimeout } from './query-process-handle.ts'
import type { ProcessAnswer, ProcessOptions, ProcessRequest } from './query-request.ts'

export interface QueryPoolOptions extends ProcessOptions {
  /** Entry point of the process: main/query-process. */
  readonly processUrl: URL
  /** Processes that stay although idle, so that a query finds one started (a start takes about 150 ms). */
  readonly processesWarm: number
  /** Processes at once; each runs one query. */
  readonly processesMax: number
  /** Queries that wait while all processes are busy; past it: too_many_queries. */
  readonly queueMax: number
}

interface Waiting {
  readonly request: ProcessRequest
  readonly deadlineAt: number
  readonly timeoutMs: number
  readonly resolve: (answer: Promise<ProcessAnswer>) => void
  readonly reject: (error: unknown) => void
  readonly signal: AbortSignal | undefined
  readonly timer: NodeJS.Timeout
}

/** Idle processes above the warm ones end after this time. */
const IDLE_MS = 30_000
/** A process that dies before it is ready is tried again after this time, so that a broken installation doesn't fork in a loop. */
const RESTART_DELAY_MS = 1_000

export class QueryPool {
  readonly #options: QueryPoolOptions
  readonly #starting = new Set<QueryProcessHandle>()
  readonly #idle = new Map<QueryProcessHandle, NodeJS.Timeout | undefined>()
  readonly #busy = new Set<QueryProcessHandle>()
  readonly #queue: Waiting[] = []
  #restartTimer: NodeJS.Timeout | undefined
  /** A service that nobody has asked yet keeps one process (75 MB) instead of all warm ones. */
  #wasAsked = false
  #closed = false

  constructor(options: QueryPoolOptions) {
    assert(options.processesMax >= 1 && options.processesWarm <= options.processesMax, 'bounds of query processes')
    this.#options = options
    mkdirSync(options.spoolDirectory, { recursive: true })
    // answers that an earlier life of the service did not hand out
    for (const name of readdirSync(options.spoolDirectory)) rmSync(join(options.spoolDirectory, name), { force: true })
    this.#startMissing()
  }

  /** Process ids, for status and tests. */
  get pids(): number[] {
    const handles = [...this.#starting, ...this.#idle.keys(), ...this.#busy]
    return handles.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /**
   * Runs a query in a process of its own for that time. Errors: too_many_queries, query_timeout, query_failed, shutting_down, and
   * what the statement meets. An aborted signal ends the process and rejects with the signal's reason.
   */
  run(request: ProcessRequest, timeoutMs: number, signal?: AbortSignal): Promise<ProcessAnswer> {
    if (this.#closed) return Promise.reject(toShuttingDown())
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    if (this.#busy.size + this.#queue.length >= this.#options.processesMax + this.#options.queueMax) {
      return Promise.reject(
        new RollupdError('too_many_queries', `${this.#options.queueMax} queries are waiting already`, {
          hint: 'Try again in a moment, or raise the bounds of query processes or of the queue.',
        }),
      )
    }
    this.#wasAsked = true
    return this.#enqueue(request, timeoutMs, signal)
  }

  /** Runs a query on the process that is kept warm, so that the first one that somebody asks finds all loaded. */
  async prepare(request: ProcessRequest, timeoutMs: number): Promise<void> {
    await this.#enqueue(request, timeoutMs)
  }

  #enqueue(request: ProcessRequest, timeoutMs: number, signal?: AbortSignal): Promise<ProcessAnswer> {
    return new Promise<ProcessAnswer>((resolve, reject) => {
      const leave = (error: unknown): void => {
        const index = this.#queue.indexOf(waiting)
        if (index >= 0) this.#queue.splice(index, 1)
        clearTimeout(waiting.timer)
        reject(error)
      }
      const onAbort = (): void => leave(signal?.reason)
      const waiting: Waiting = {
        request,
        timeoutMs,
        deadlineAt: performance.now() + timeoutMs,
        resolve: (answer) => {
          clearTimeout(waiting.timer)
          signal?.removeEventListener('abort', onAbort)
          resolve(answer)
        },
        reject: leave,
        signal,
        timer: setTimeout(() => leave(toTimeout(timeoutMs)), timeoutMs),
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(waiting)
      this.#dispatch()
    })
  }

  /** Ends all processes and gives up what runs or waits. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#restartTimer)
    for (const waiting of this.#queue.slice()) waiting.reject(toShuttingDown())
    for (const handle of [...this.#starting, ...this.#idle.keys(), ...this.#busy]) handle.abort(toShuttingDown())
    for (const timer of this.#idle.values()) clearTimeout(timer)
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const handle = this.#takeIdle()
      if (handle === undefined) break
      const waiting = this.#queue.shift()
      if (waiting !== undefined) this.#runOn(handle, waiting)
    }
    this.#startMissing()
  }

  /** The one that was used last: it holds copies of columns already (column-copies.ts). */
  #takeIdle(): QueryProcessHandle | undefined {
    const last = [...this.#idle].at(-1)
    if (last === undefined) return undefined
    const [handle, timer] = last
    clearTimeout(timer)
    this.#idle.delete(handle)
    return handle
  }

  #runOn(handle: QueryProcessHandle, waiting: Waiting): void {
    this.#busy.add(handle)
    const { signal } = waiting
    const onAbort = (): void => handle.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const answer = handle.run(waiting.request, waiting.deadlineAt, waiting.timeoutMs).finally(() => {
      signal?.removeEventListener('abort', onAbort)
      this.#release(handle)
    })
    waiting.resolve(answer)
  }

  /** Back to the idle ones, unless it is gone already. */
  #release(handle: QueryProcessHandle): void {
    if (!this.#busy.delete(handle) || handle.killed) {
      this.#dispatch()
      return
    }
    this.#addIdle(handle)
    this.#dispatch()
  }

  #addIdle(handle: QueryProcessHandle): void {
    const surplus = this.#idle.size + this.#busy.size >= this.#options.processesWarm
    this.#idle.set(handle, surplus ? setTimeout(() => this.#retire(handle), IDLE_MS).unref() : undefined)
  }

  #retire(handle: QueryProcessHandle): void {
    if (this.#idle.delete(handle)) handle.kill()
  }

  /** As many as are kept warm, and one for each waiting query, up to the bound. */
  #startMissing(): void {
    if (this.#closed || this.#restartTimer !== undefined) return
    const { processesMax } = this.#options
    const processesWarm = this.#wasAsked ? this.#options.processesWarm : Math.min(1, this.#options.processesWarm)
    const alive = (): number => this.#starting.size + this.#idle.size + this.#busy.size
    const wanted = (): number => Math.max(processesWarm - alive(), this.#queue.length - this.#starting.size)
    while (alive() < processesMax && wanted() > 0) this.#start()
  }

  #start(): void {
    const handle: QueryProcessHandle = new QueryProcessHandle(this.#options.processUrl, this.#options, {
      ready: () => {
        this.#starting.delete(handle)
        this.#addIdle(handle)
        this.#dispatch()
      },
      exited: (wasReady) => {
        this.#starting.delete(handle)
        this.#busy.delete(handle)
        clearTimeout(this.#idle.get(handle))
        this.#idle.delete(handle)
        if (!wasReady) this.#pauseStarting()
        this.#startMissing()
      },
    })
    this.#starting.add(handle)
  }

  #pauseStarting(): void {
    if (this.#closed || this.#restartTimer !== undefined) return
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = undefined
      this.#startMissing()
    }, RESTART_DELAY_MS)
  }
}

function toShuttingDown(): RollupdError {
  return new RollupdError('shutting_down', 'the service is shutting down')
}
