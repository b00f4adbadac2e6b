/** Owns how ./dev runs another program: in the foreground, or for what it prints. */
import { execFile, type ExecFileException, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { dirname } from 'node:path'

/** The folder that holds package.json. */
export const CHECKOUT = dirname(import.meta.dirname)

const SIGNAL_EXIT_BASE = 128

/**
 * Runs it with this terminal's input and output, passes SIGTERM and SIGINT on. Caller gets its exit code, as a shell counts
 * (128 + number for a signal).
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', cwd: CHECKOUT, env: { ...process.env, ...environment } })
  const passOn = (signal: NodeJS.Signals) => child.kill(signal)
  // a terminal sends SIGINT to the whole group: the child has it already, this process only must outlive it
  const ignore = () => {}
  process.on('SIGTERM', passOn)
  process.on('SIGINT', process.stdin.isTTY ? ignore : passOn)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal])
  } finally {
    process.off('SIGTERM', passOn)
    process.off('SIGINT', process.stdin.isTTY ? ignore : passOn)
  }
}

/** A program and its arguments. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  /** Variables besides those of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** Runs a program to its end; never throws. Caller gets standard output and error together. */
export function runCommand(command: Command, timeoutMs: number): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...command.environment }
    const options = { timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' as const, env }
    execFile(command.file, [...command.args], options, (error: ExecFileException | null, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim()
      resolve({ ok: error === null, output: error === null || output !== '' ? output : error.message })
    })
  })
}
