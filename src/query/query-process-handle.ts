/**
 * Owns one query process as the service sees it: starts it, gives it one query at a time, ends it with SIGKILL. A statement in
 * SQLite can't be interrupted from outside (worker.terminate() leaves it running), so ending the process is the only deadline
 * that holds.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fromErrorMessage } from '../core/error-message.ts'
import { RollupdError } from '../core/errors.ts'
import {
  type FromProcess,
  OUT_OF_MEMORY_SIGNAL,
  type ProcessAnswer,
  type ProcessOptions,
  type ProcessRequest,
  type ToProcess,
} from './query-request.ts'

interface Running {
  readonly id: number
  readonly deadlineAt: number
  readonly timeoutMs: number
  readonly resolve: (answer: ProcessAnswer) => void
  readonly reject: (error: unknown) => void
}

/** The process watches its deadline too, in case the service's own timer is late; this much later, so that the service says why. */
const PROCESS_DEADLINE_GRACE_MS = 100

export interface HandleEvents {
  /** It can take a query. */
  ready(): void
  /** It is gone, for whatever reason. `wasReady`: it had started properly. */
  exited(wasReady: boolean): void
}

export class QueryProcessHandle {
  readonly #child: ChildProcess
  readonly #events: HandleEvents
  readonly #memoryBytesMax: number
  #running: Running | undefined
  #ready = false
  #gone = false
  #killed = false
  #nextId = 1

  constructor(processUrl: URL, options: ProcessOptions, events: HandleEvents) {
    this.#events = events
    this.#memoryBytesMax = options.memoryBytesMax
    const { leafPath, spoolDirectory, memoryBytesMax, statementBytesMax } = options
    const given: ProcessOptions = { leafPath, spoolDirectory, memoryBytesMax, statementBytesMax }
    this.#child = fork(processUrl, [JSON.stringify(given)], {
      // flags of the service (inspector, test loaders) are not the process's
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, SQLITE_TMPDIR: options.spoolDirectory },
    })
    this.#child.on('message', (message) => this.#receive(message as FromProcess))
    this.#child.on('error', () => this.#onGone(null))
    this.#child.on('exit', (_code, signal) => this.#onGone(signal))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * Runs one query; the process must be ready and idle. deadlineAt: performance.now() of the service. Errors: what the query met;
   * query_timeout, after which the process is gone; query_failed where it died.
   */
  run(request: ProcessRequest, deadlineAt: number, timeoutMs: number): Promise<ProcessAnswer> {
    const id = this.#nextId++
    const remainingMs = deadlineAt - performance.now()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.kill()
        this.#settle((running) => running.reject(toTimeout(timeoutMs)))
      }, remainingMs)
      const done = (): void => clearTimeout(timer)
      this.#running = {
        id,
        deadlineAt,
        timeoutMs,
        resolve: (answer) => (done(), resolve(answer)),
        reject: (error) => (done(), reject(error)),
      }
      const message: ToProcess = { kind: 'query', id, remainingMs: remainingMs + PROCESS_DEADLINE_GRACE_MS, request }
      this.#child.send(message, (error) => {
        if (error !== null) this.kill()
      })
    })
  }

  /** It was told to end, or is gone: it takes no more queries. */
  get killed(): boolean {
    return this.#killed || this.#gone
  }

  kill(): void {
    this.#killed = true
    if (!this.#gone) this.#child.kill('SIGKILL')
  }

  /** Ends it and gives up what it runs. */
  abort(reason: unknown): void {
    this.kill()
    this.#settle((running) => running.reject(reason))
  }

  #receive(message: FromProcess): void {
    switch (message.kind) {
      case 'ready':
        this.#ready = true
        this.#events.ready()
        return
      case 'answer':
        if (message.id === this.#running?.id) this.#settle((running) => running.resolve(message.answer))
        return
      case 'error':
        if (message.id === this.#running?.id) this.#settle((running) => running.reject(fromErrorMessage(message.error)))
        return
    }
  }

  #settle(how: (running: Running) => void): void {
    const running = this.#running
    this.#running = undefined
    if (running !== undefined) how(running)
  }

  #onGone(signal: NodeJS.Signals | null): void {
    if (this.#gone) return
    this.#gone = true
    this.#settle((running) => running.reject(this.#reasonOfDeath(running, signal)))
    this.#events.exited(this.#ready)
  }

  #reasonOfDeath(running: Running, signal: NodeJS.Signals | null): RollupdError {
    if (signal === OUT_OF_MEMORY_SIGNAL) {
      const megabytes = Math.round(this.#memoryBytesMax / 2 ** 20)
      return new RollupdError(
        'query_failed',
        `the query was ended because it used more than ${megabytes} MB of memory`,
        {
          hint: 'Narrow it with a WHERE or a LIMIT, or raise the memory limit of queries.',
        },
      )
    }
    if (performance.now() >= running.deadlineAt) return toTimeout(running.timeoutMs)
    return new RollupdError('query_failed', 'the process that ran the query ended unexpectedly')
  }
}

export function toTimeout(timeoutMs: number): RollupdError {
  return new RollupdError('query_timeout', `the query did not finish within ${Math.ceil(timeoutMs)} ms`, {
    hint: 'Raise timeout_ms, or narrow the query, for example by a range of its time column.',
  })
}
