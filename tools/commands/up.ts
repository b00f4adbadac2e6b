/** Owns `./dev up`, `logs` and `down`: the parts of a profile run together in the foreground, with a table of where. */
import { once } from 'node:events'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import colors from 'picocolors'
import { CommandError } from '../command-error.ts'
import { CHECKOUT } from '../run-program.ts'
import { PART_NAMES, type PartName, readDevConfig } from '../up/dev-config.ts'
import { PART_STARTERS, type RunningPart } from '../up/parts.ts'
import { identifyProcess } from '../up/process-identity.ts'
import { LAUNCHER, RunFolder } from '../up/run-folder.ts'

const COLUMN_WIDTHS = [10, 32, 9, 7]
const FOLLOW_POLL_MS = 200

export interface UpOptions {
  /** Start with empty data instead of the profile's last. */
  readonly fresh?: boolean
}

/** Starts the profile's parts and stays until Ctrl-C, SIGTERM or a part's end. Caller gets the exit code. */
export async function runUp(profile: string, options: UpOptions): Promise<number> {
  const config = readDevConfig(join(CHECKOUT, 'dev.yml'))
  const names = config.profiles.get(profile)
  if (names === undefined) {
    throw new CommandError(`dev.yml has no profile "${profile}"`, `It has ${[...config.profiles.keys()].join(', ')}.`)
  }
  const stopAsked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => undefined)
  const folder = new RunFolder()
  const left = await folder.endRecorded()
  if (left.length > 0) process.stderr.write(`stopped what an earlier run left: ${left.join(', ')}\n`)
  if (options.fresh === true) folder.removeData(profile)
  await recordProcess(folder, LAUNCHER, process.pid)

  const startedMs = performance.now()
  const running: RunningPart[] = []
  try {
    printRow(['part', 'address', 'process', 'seconds'], colors.dim)
    const addresses = new Map<PartName, string>()
    for (const name of names) {
      const partStartedMs = performance.now()
      const starting = PART_STARTERS[name]({ config, folder, profile, addresses })
      const part = await Promise.race([starting, stopAsked])
      if (part === undefined) {
        // asked to stop meanwhile: what was starting is stopped with the others
        await starting.then((late) => running.push(late)).catch(() => {})
        return 0
      }
      running.push(part)
      addresses.set(name, part.address)
      await recordProcess(folder, name, part.pid)
      printRow([name, part.address, String(part.pid), toSeconds(performance.now() - partStartedMs)])
    }
    process.stdout.write(
      `up in ${toSeconds(performance.now() - startedMs)} s; Ctrl-C stops all, ./dev logs NAME shows one\n`,
    )
    const ended = await Promise.race([stopAsked, ...running.map(async (part) => `${part.name} ${await part.ended}`)])
    if (ended === undefined) return 0
    throw new CommandError(ended, `\`./dev logs ${ended.split(' ')[0]}\` shows why.`)
  } finally {
    // a second signal while stopping changes nothing
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => {})
    for (const part of running.toReversed()) await part.stop()
    folder.forget()
  }
}

async function recordProcess(folder: RunFolder, name: string, pid: number): Promise<void> {
  const identity = await identifyProcess(pid)
  if (identity !== undefined) folder.record(name, identity)
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}

function printRow(cells: readonly string[], color: (text: string) => string = String): void {
  process.stdout.write(
    `${color(
      cells
        .map((cell, index) => cell.padEnd(COLUMN_WIDTHS[index] ?? 0))
        .join(' ')
        .trimEnd(),
    )}\n`,
  )
}

/** Stops what ./dev up runs in another terminal, or left. Caller gets the exit code. */
export async function runDown(): Promise<number> {
  const ended = await new RunFolder().endRecorded()
  process.stdout.write(ended.length === 0 ? 'nothing was up\n' : `stopped ${ended.join(', ')}\n`)
  return 0
}

/** Prints a part's log, and with `follow` what comes, until Ctrl-C. Caller gets the exit code. */
export async function runLogs(name: string, follow: boolean): Promise<number> {
  const file = new RunFolder().logFile(name)
  if (!PART_NAMES.some((part) => part === name) || !existsSync(file)) {
    const kept = PART_NAMES.filter((part) => existsSync(new RunFolder().logFile(part)))
    throw new CommandError(
      `there is no log of "${name}"`,
      kept.length === 0 ? '`./dev up` was not run yet.' : `There are ${kept.join(', ')}.`,
    )
  }
  process.stdout.write(readFileSync(file))
  if (follow) await followFile(file)
  return 0
}

/** Prints what is added to the file, until the process ends. */
async function followFile(file: string): Promise<never> {
  let printed = statSync(file).size
  for (;;) {
    await delay(FOLLOW_POLL_MS)
    const { size } = statSync(file)
    // a shorter file is another run's
    const start = size < printed ? 0 : printed
    if (size > start) await pipeline(createReadStream(file, { start, end: size - 1 }), process.stdout, { end: false })
    printed = size
  }
}
