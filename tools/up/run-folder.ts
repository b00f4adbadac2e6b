/**
 * Owns .dev/up: what ./dev up leaves for ./dev logs, ./dev down and its own next run. state.json records the processes, each
 * part has a log file, each profile a data folder.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from '../run-program.ts'
import { endProcess, type ProcessIdentity } from './process-identity.ts'

/** The launcher stops its parts one after another; rollupd alone may take 10 s to commit what it holds. */
const LAUNCHER_GRACE_MS = 40_000
const PART_GRACE_MS = 15_000

interface RecordedProcess extends ProcessIdentity {
  /** A part's name, or `./dev up` itself. */
  readonly name: string
}

export const LAUNCHER = './dev up'

export class RunFolder {
  readonly path: string

  constructor(path: string = join(CHECKOUT, '.dev', 'up')) {
    this.path = path
    mkdirSync(join(path, 'logs'), { recursive: true })
  }

  logFile(part: string): string {
    return join(this.path, 'logs', `${part}.log`)
  }

  dataDir(profile: string, part: string): string {
    return join(this.path, 'data', profile, part)
  }

  removeData(profile: string): void {
    rmSync(join(this.path, 'data', profile), { recursive: true, force: true })
  }

  record(name: string, identity: ProcessIdentity): void {
    this.#write([...this.#read(), { name, ...identity }])
  }

  forget(): void {
    rmSync(this.#stateFile, { force: true })
  }

  /** Ends what an earlier run left: its launcher first, which stops its parts in order. Caller gets the names of those that ran. */
  async endRecorded(): Promise<string[]> {
    const ended: string[] = []
    const recorded = this.#read()
    for (const entry of [...recorded.filter(({ name }) => name === LAUNCHER), ...recorded.toReversed()]) {
      if (entry.pid === process.pid) continue
      const grace = entry.name === LAUNCHER ? LAUNCHER_GRACE_MS : PART_GRACE_MS
      if (await endProcess(entry, grace)) ended.push(entry.name)
    }
    this.forget()
    return ended
  }

  get #stateFile(): string {
    return join(this.path, 'state.json')
  }

  #read(): RecordedProcess[] {
    if (!existsSync(this.#stateFile)) return []
    return JSON.parse(readFileSync(this.#stateFile, 'utf8')) as RecordedProcess[]
  }

  /** Whole or not at all: a reader in another process may look at any time. */
  #write(entries: readonly RecordedProcess[]): void {
    const temporary = `${this.#stateFile}.${process.pid}`
    writeFileSync(temporary, JSON.stringify(entries))
    renameSync(temporary, this.#stateFile)
  }
}
