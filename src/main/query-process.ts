/**
 * Entry point of a query process. This thread only watches: at the deadline, past the memory bound, or when the service is gone,
 * it ends the process with SIGKILL, because a statement inside SQLite stops for nothing else. The statement runs in the worker.
 */
import { Worker } from 'node:worker_threads'
import type { FromProcess, ProcessOptions, ToProcess } from '../query/query-request.ts'
import { entryUrl } from './entry-url.ts'

/** How often the memory is looked at while a query runs. */
const MEMORY_CHECK_MS = 100

const options = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions

function endNow(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}

// the service's death closes the channel; otherwise a running statement would outlive it at 100 % CPU
process.on('disconnect', endNow)
// it may have died while this process was starting: then that event is past
if (!process.connected) endNow()
// a terminal's Ctrl-C goes to the whole process group; the service decides when its queries end
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const worker = new Worker(entryUrl('query-worker'), {
  workerData: options,
  execArgv: [],
})
let deadline: NodeJS.Timeout | undefined
let memoryCheck: NodeJS.Timeout | undefined

function send(message: FromProcess, then?: () => void): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) endNow()
    then?.()
  })
}

function checkMemory(): void {
  const usedBytes = process.memoryUsage.rss()
  if (usedBytes > options.memoryBytesMax) send({ kind: 'out_of_memory', usedBytes }, endNow)
}

process.on('message', (message: ToProcess) => {
  deadline = setTimeout(endNow, message.remainingMs)
  memoryCheck = setInterval(checkMemory, MEMORY_CHECK_MS)
  worker.postMessage(message)
})

worker.on('message', (message: FromProcess) => {
  clearTimeout(deadline)
  clearInterval(memoryCheck)
  send(message)
})
worker.on('error', (error) => {
  console.error(`query process ${process.pid}:`, error)
  endNow()
})
worker.on('exit', endNow)
