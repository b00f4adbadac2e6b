/** Owns the question whether a recorded process still runs: its id and its start time, because ids are given out again. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { runCommand } from '../run-program.ts'

const PS_TIMEOUT_MS = 5_000
const POLL_MS = 50
/** After the command's name in /proc/PID/stat: state is the first field, the start time (in ticks since boot) the twentieth. */
const START_TIME_FIELD = 19
const STATE_FIELD = 0
const ZOMBIE = 'Z'

export interface ProcessIdentity {
  readonly pid: number
  /** Opaque: equal for one process only. */
  readonly started: string
}

/** Caller gets undefined when no process has this id (or one that has ended and only waits to be collected). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const started = process.platform === 'linux' ? readStartTime(pid) : await askStartTime(pid)
  return started === undefined ? undefined : { pid, started }
}

function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // the name stands in parentheses and may hold anything, a space or a parenthesis too
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[STATE_FIELD] === ZOMBIE ? undefined : fields[START_TIME_FIELD]
  } catch {
    return undefined
  }
}

async function askStartTime(pid: number): Promise<string | undefined> {
  const { ok, output } = await runCommand({ file: 'ps', args: ['-o', 'lstart=', '-p', String(pid)] }, PS_TIMEOUT_MS)
  return ok && output !== '' ? output : undefined
}

export async function isRunning(recorded: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(recorded.pid))?.started === recorded.started
}

/** Ends the recorded process, and no other: SIGTERM, then SIGKILL when it is still there after the time. Caller gets whether it ran. */
export async function endProcess(recorded: ProcessIdentity, graceMs: number): Promise<boolean> {
  if (!(await isRunning(recorded))) return false
  signalProcess(recorded.pid, 'SIGTERM')
  const deadline = Date.now() + graceMs
  while (await isRunning(recorded)) {
    if (Date.now() > deadline) signalProcess(recorded.pid, 'SIGKILL')
    await delay(POLL_MS)
  }
  return true
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // it ended in between
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
