/**
 * Entry point of a query process: this thread runs its statements, one after the other. A statement inside SQLite stops for nothing, so a second
 * thread watches it (query-watcher.ts).
 */
import { Worker } from 'node:worker_threads'
import { toErrorMessage } from '../core/error-message.ts'
import { RollupdError } from '../core/errors.ts'
import { QueryRunner } from '../query/query-runner.ts'
import type { FromProcess, ProcessOptions, ToProcess } from '../query/query-request.ts'
import { NOTHING_RUNS, type QueryWatch } from '../query/query-watch.ts'
import { entryUrl } from './entry-url.ts'

const NANOSECONDS_PER_MS = 1e6

const options = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions

function endNow(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}

process.on('disconnect', endNow)
// it may have died while this process was starting: then that event is past
if (!process.connected) endNow()
// a terminal's Ctrl-C goes to the whole process group; the service decides when its queries end
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const deadline = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
const watched: QueryWatch = { deadline, parentPid: process.ppid, memoryBytesMax: options.memoryBytesMax }
const watcher = new Worker(entryUrl('query-watcher'), { workerData: watched, execArgv: [] })
watcher.on('error', (error) => {
  console.error(`query process ${process.pid}:`, error)
  endNow()
})
watcher.on('exit', endNow)

const runner = await QueryRunner.create(options)

function answer({ id, request }: ToProcess): FromProcess {
  try {
    return { kind: 'answer', id, answer: runner.run(request) }
  } catch (error) {
    return { kind: 'error', id, error: toErrorMessage(error instanceof RollupdError ? error : toInternal(error)) }
  }
}

/** A broken invariant spoils this query alone: the process only reads. */
function toInternal(error: unknown): RollupdError {
  console.error(error)
  const message = error instanceof Error ? error.message : String(error)
  return new RollupdError('internal', `the query met an error of rollupd: ${message}`)
}

function send(message: FromProcess): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) endNow()
  })
}

process.on('message', (message: ToProcess) => {
  const remaining = BigInt(Math.ceil(message.remainingMs * NANOSECONDS_PER_MS))
  Atomics.store(deadline, 0, process.hrtime.bigint() + remaining)
  const answered = answer(message)
  Atomics.store(deadline, 0, NOTHING_RUNS)
  send(answered)
})
send({ kind: 'ready' })
