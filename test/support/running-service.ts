/** Runs rollupd as a process of its own, as a user does, and talks to it over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiClient } from '../../src/cli/api-client.ts'
import type { RollupAnswer } from '../../src/service/rollup-answer.ts'

const SOURCE_CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
/** A start takes a second; on a machine that does much else, many. */
const START_MS_MAX = 60_000
/** The address of a service that stands at a fail point and never listens. */
const NOWHERE = 'http://127.0.0.1:0'
const POLL_MS = 20

export interface ServiceOptions {
  readonly data: string
  readonly kafka?: string | undefined
  readonly env?: Record<string, string>
  readonly args?: readonly string[]
  /** Bytes that a file may have: the disk is full past them. */
  readonly fileBytesMax?: number
  /** The program to run; the sources' where absent. */
  readonly cli?: string
}

export interface Result {
  readonly columns: { name: string; type: string }[]
  readonly rows: Record<string, unknown>[]
  readonly row_count: number
  readonly epoch: number
  readonly as_of: Record<string, Record<string, Record<string, number>>>
  readonly truncated: boolean
  readonly warnings?: string[]
  readonly errors?: { column: string; code: string; message: string }[]
}

export class RunningService {
  readonly url: string
  readonly api: ApiClient
  readonly process: ChildProcess
  /** All of standard error so far. */
  log = ''

  constructor(child: ChildProcess, url: string) {
    this.process = child
    this.url = url
    this.api = new ApiClient({ url, token: undefined })
  }

  async createTopic(topic: string, partitions = 1): Promise<void> {
    await this.api.call('POST', '/v1/topics', { topic, partitions })
  }

  async createRollup(
    name: string,
    sql: string,
    topic: string,
    more: Record<string, unknown> = {},
  ): Promise<RollupAnswer> {
    return await this.api.callJson('POST', '/v1/rollups', { name, sql, source: { topic }, ...more })
  }

  async rollup(name: string): Promise<RollupAnswer> {
    return await this.api.callJson('GET', `/v1/rollups/${name}`)
  }

  /** Lines of NDJSON to a partition; gives its next offset. */
  async produce(topic: string, lines: readonly string[], partition = 0): Promise<number> {
    const path = `/v1/topics/${topic}/records?partition=${partition}`
    const answer = JSON.parse(await this.api.postLines(path, Buffer.from(`${lines.join('\n')}\n`))) as {
      offsets: Record<string, { next: number }>
    }
    return answer.offsets[String(partition)]?.next ?? -1
  }

  async query(sql: string, more: Record<string, unknown> = {}): Promise<Result> {
    return await this.api.callJson('POST', '/v1/query', { sql, ...more })
  }

  /** The rows of a query once its rollups contain the offset. */
  async rows(sql: string, topic: string, next: number, partition = 0): Promise<Record<string, unknown>[]> {
    const { rows } = await this.query(sql, { at_least: { [topic]: { [partition]: next } }, timeout_ms: 20_000 })
    return rows
  }

  /** SIGTERM; resolves to the exit code. */
  async stop(): Promise<number | null> {
    return await this.end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL')
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode
    return await new Promise((resolve) => {
      this.process.once('exit', (code) => resolve(code))
      this.process.kill(signal)
    })
  }
}

/** Starts `rollupd serve` on a free port and waits for its line; or until its fail point is reached, then it answers nothing. */
export async function startRollupd({
  data,
  kafka,
  env = {},
  args = [],
  fileBytesMax,
  cli = SOURCE_CLI,
}: ServiceOptions): Promise<RunningService> {
  const flags = [
    'serve',
    '--data',
    data,
    '--listen',
    '127.0.0.1:0',
    ...(kafka === undefined ? [] : ['--kafka', kafka]),
    ...args,
  ]
  const [program, ...programArgs] = limitFiles([process.execPath, cli, ...flags], fileBytesMax)
  const child = spawn(program, programArgs, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ROLLUPD_LOG_LEVEL: 'warn', ...env },
  })
  let log = ''
  let follow = (_log: string): void => undefined
  const { promise: atFailPoint, resolve: tellFailPoint } = Promise.withResolvers<string>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
    follow(log)
    if (/^fail point .* reached$/m.test(log)) tellFailPoint(NOWHERE)
  })
  const listening = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`rollupd did not start within ${START_MS_MAX} ms: ${log}`))
    }, START_MS_MAX)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const match = /^listening on (http:\/\/\S+)$/m.exec(output)
      if (match?.[1] === undefined) return
      clearTimeout(timer)
      resolve(match[1])
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`rollupd ended with ${code} before it listened: ${log}`))
    })
  })
  const url = await Promise.race([listening, atFailPoint])
  if (url === NOWHERE) listening.catch(() => undefined)
  const service = new RunningService(child, url)
  service.log = log
  follow = (text) => (service.log = text)
  return service
}

/** The shell's limit counts blocks of 512 bytes; the shell becomes the program. */
function limitFiles(command: [string, ...string[]], fileBytesMax: number | undefined): [string, ...string[]] {
  if (fileBytesMax === undefined) return command
  return ['sh', '-c', `ulimit -f ${Math.floor(fileBytesMax / 512)}; exec "$@"`, 'sh', ...command]
}

/** A folder that goes when `remove` is called. */
export function createDataFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'rollupd-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Asks until the condition holds. Errors: at the deadline, with what was last seen. */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await ask()
    if (holds(value)) return value
    if (performance.now() > deadline)
      throw new Error(`${what}: not within ${timeoutMs} ms; last: ${JSON.stringify(value).slice(0, 5000)}`)
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS)
    })
  }
}
