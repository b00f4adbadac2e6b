/** Owns what ends a query process while its statement runs: the deadline, the memory bound, and the service's end. */
import { OUT_OF_MEMORY_SIGNAL } from './query-request.ts'

/** How often it looks: the service watches the deadline too, and to the millisecond. */
const CHECK_MS = 100
/** In place of a deadline. */
export const NOTHING_RUNS = 0n

export interface QueryWatch {
  /** Of the running statement, one value as process.hrtime.bigint() counts, in shared memory. */
  readonly deadline: BigInt64Array
  /** The service's. A running statement would outlive it at 100 % CPU. */
  readonly parentPid: number
  /** Resident. */
  readonly memoryBytesMax: number
}

/** Looks as long as its thread lives. */
export function watchQueries({ deadline, parentPid, memoryBytesMax }: QueryWatch): void {
  setInterval(() => {
    const endAt = Atomics.load(deadline, 0)
    if (endAt === NOTHING_RUNS) return
    if (process.ppid !== parentPid || process.hrtime.bigint() > endAt) process.kill(process.pid, 'SIGKILL')
    else if (process.memoryUsage.rss() > memoryBytesMax) process.kill(process.pid, OUT_OF_MEMORY_SIGNAL)
  }, CHECK_MS)
}
