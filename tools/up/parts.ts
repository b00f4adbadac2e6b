/** Owns the parts of ./dev up: how each is started, wired to those before it, asked for its health, and stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../command-error.ts'
import { isFreePort, startKafka } from '../kafka/kafka-broker.ts'
import { CHECKOUT } from '../run-program.ts'
import type { DevConfig, PartName } from './dev-config.ts'
import type { RunFolder } from './run-folder.ts'

/** A start takes a second; a recovery after a kill or a busy machine takes longer. */
const HEALTHY_TIMEOUT_MS = 60_000
const HEALTH_POLL_MS = 25
const ASK_TIMEOUT_MS = 2_000
/** rollupd drains and commits within 10 s. */
const STOP_GRACE_MS = 15_000
const LOG_TAIL_CHARS = 2_000

/** Kafka's data is kept from run to run, and the generator never ends: bounded, an hour or more at its usual rate. */
const KAFKA_SETTINGS = { 'log.retention.bytes': '268435456', 'log.segment.bytes': '67108864' }

export interface RunningPart {
  readonly name: PartName
  /** For the table. */
  readonly address: string
  readonly pid: number
  /** Resolves when it has ended, by whoever's doing. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

/** What a part is wired to. */
export interface Surroundings {
  readonly config: DevConfig
  readonly folder: RunFolder
  readonly profile: string
  /** Addresses of the parts that are healthy already: HOST:PORT of kafka, URL of rollupd. */
  readonly addresses: ReadonlyMap<PartName, string>
}

export const PART_STARTERS: Readonly<Record<PartName, (around: Surroundings) => Promise<RunningPart>>> = {
  kafka: startKafkaPart,
  rollupd: startRollupdPart,
  generator: startGeneratorPart,
}

/** The wanted port, or 0 (a free one) where another program has it. */
async function choosePort(wanted: number): Promise<number> {
  return (await isFreePort(wanted)) ? wanted : 0
}

async function startKafkaPart({ config, folder, profile }: Surroundings): Promise<RunningPart> {
  const dataDir = folder.dataDir(profile, 'kafka')
  const port = await choosePort(config.kafka.port)
  const kafka = await startKafka({ dataDir, settings: KAFKA_SETTINGS, ...(port === 0 ? {} : { port }) })
  rmSync(folder.logFile('kafka'), { force: true })
  symlinkSync(join(dataDir, 'node-1.log'), folder.logFile('kafka'))
  return {
    name: 'kafka',
    address: kafka.bootstrap,
    pid: kafka.pid,
    ended: kafka.ended().then(() => 'ended'),
    stop: () => kafka.stop(),
  }
}

async function startRollupdPart({ config, folder, profile, addresses }: Surroundings): Promise<RunningPart> {
  const port = await choosePort(config.rollupd.port)
  const kafka = addresses.get('kafka')
  const child = spawnPart('rollupd', folder, [
    join(CHECKOUT, 'src', 'main', 'cli.ts'),
    ...['serve', '--data', folder.dataDir(profile, 'rollupd'), '--listen', `127.0.0.1:${port}`],
    ...['--config', join(CHECKOUT, 'tools', 'up', 'rollupd.yml')],
    ...(kafka === undefined ? [] : ['--kafka', kafka]),
  ])
  const url = () => /^listening on (http:\/\/\S+)/m.exec(readFileSync(folder.logFile('rollupd'), 'utf8'))?.[1]
  await untilHealthy(child, async () => {
    const address = url()
    return address !== undefined && (await answers(`${address}/readyz`))
  })
  return child.toPart(url() ?? '')
}

async function startGeneratorPart({ config, folder, addresses }: Surroundings): Promise<RunningPart> {
  const { topic, partitions, recordsPerSecond } = config.generator
  const rollupd = addresses.get('rollupd')
  const kafka = addresses.get('kafka')
  const target = rollupd === undefined ? ['--kafka', kafka] : ['--url', rollupd]
  if (target[1] === undefined)
    throw new CommandError('the generator has nothing to write to', 'Put rollupd or kafka before it in the profile.')
  const child = spawnPart('generator', folder, [
    // kafkajs gives timers negative times, which Node warns of
    '--disable-warning=TimeoutNegativeWarning',
    join(CHECKOUT, 'tools', 'generator.ts'),
    ...(target as string[]),
    ...['--topic', topic, '--partitions', String(partitions), '--records-per-second', String(recordsPerSecond)],
  ])
  // it says so after the first answer to its records
  await untilHealthy(child, () =>
    Promise.resolve(readFileSync(folder.logFile('generator'), 'utf8').includes('producing')),
  )
  return child.toPart(`${topic}, ${recordsPerSecond} records/s`)
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })).ok
  } catch {
    return false
  }
}

class PartProcess {
  readonly name: PartName
  readonly child: ChildProcess
  readonly logFile: string

  constructor(name: PartName, child: ChildProcess, logFile: string) {
    this.name = name
    this.child = child
    this.logFile = logFile
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  describeEnd(): string {
    const { exitCode, signalCode } = this.child
    return signalCode === null ? `ended with exit code ${exitCode}` : `was ended by ${signalCode}`
  }

  toPart(address: string): RunningPart {
    const ended = this.running ? once(this.child, 'exit') : Promise.resolve()
    return {
      name: this.name,
      address,
      pid: this.child.pid ?? 0,
      ended: ended.then(() => this.describeEnd()),
      stop: () => this.stop(),
    }
  }

  async stop(): Promise<void> {
    if (!this.running) return
    const ended = once(this.child, 'exit')
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_GRACE_MS)
    this.child.kill('SIGTERM')
    await ended
    clearTimeout(timer)
  }
}

/** Starts a program of the checkout; what it prints goes to the part's log file, which starts anew. */
function spawnPart(name: PartName, folder: RunFolder, args: readonly string[]): PartProcess {
  const logFile = folder.logFile(name)
  const log = openSync(logFile, 'w')
  // a session of its own: Ctrl-C reaches the launcher, which stops the parts in order
  const child = spawn(process.execPath, args, { cwd: CHECKOUT, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  return new PartProcess(name, child, logFile)
}

/** Errors: CommandError with the end of its log when it ends or isn't healthy in time; it doesn't run then. */
async function untilHealthy(part: PartProcess, isHealthy: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS
  while (!(await isHealthy())) {
    const reason = part.running ? `isn't healthy after ${HEALTHY_TIMEOUT_MS / 1000} s` : part.describeEnd()
    if (!part.running || Date.now() > deadline) {
      await part.stop()
      const log = existsSync(part.logFile) ? readFileSync(part.logFile, 'utf8').slice(-LOG_TAIL_CHARS).trimEnd() : ''
      throw new CommandError(`${part.name} ${reason}`, log)
    }
    await delay(HEALTH_POLL_MS)
  }
}
