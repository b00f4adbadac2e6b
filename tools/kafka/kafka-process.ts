/**
 * Owns one process of Kafka's: spawn with its log file, stop, kill. The process never outlives the one that started it, even
 * after SIGKILL: a shell beside it waits for the end of a pipe.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import type { KafkaCommand } from './kafka-runtime.ts'

/** A broker writes its logs' state when it stops; past this something hangs and it is killed. */
const STOP_TIMEOUT_MS = 20_000
/** How much of a log file goes into an error message. */
const LOG_TAIL_CHARS = 4_000

/**
 * The program takes the shell's place (its process id is the child's); a subshell beside it reads from the pipe that only
 * the parent holds. A line `done` says that the program has ended by itself and its id may be another's by now.
 */
const GUARDED_EXEC = `
exec 3<&0 </dev/null
signal=$1; shift
( read -r word <&3; [ "$word" = done ] || kill -s "$signal" $$ ) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`

export class KafkaProcess {
  readonly #child: ChildProcess
  readonly #logFile: string

  constructor(command: KafkaCommand, logFile: string) {
    this.#logFile = logFile
    const log = openSync(logFile, 'a')
    const args = ['-c', GUARDED_EXEC, 'sh', command.orphanSignal, command.file, ...command.args]
    // a session of its own: Ctrl-C in the terminal reaches the parent, which stops the broker in order
    this.#child = spawn('sh', args, { stdio: ['pipe', log, log], detached: true })
    closeSync(log)
    // a write after the guard is gone isn't news
    this.#child.stdin?.on('error', () => {})
    this.#child.once('exit', () => this.#child.stdin?.end('done\n'))
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error(`can't start Kafka: ${this.logTail()}`)
    return pid
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The end of what it printed, for error messages. */
  logTail(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-LOG_TAIL_CHARS)
  }

  /** Ends it in order (SIGTERM); by force when it doesn't end in time. Returns when it is gone. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.#end('SIGTERM')
    clearTimeout(timer)
  }

  /** SIGKILL. Returns when it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Returns when it has ended, by whoever's doing. */
  async ended(): Promise<void> {
    if (this.running) await once(this.#child, 'exit')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.running) return
    const ended = this.ended()
    this.#child.kill(signal)
    await ended
  }
}
