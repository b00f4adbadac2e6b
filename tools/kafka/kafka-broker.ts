/**
 * Owns a Kafka for development and tests: one broker (startKafka), or a controller with several brokers, each a process of
 * its own (startKafkaCluster). Data in a temporary folder, free ports of 127.0.0.1, ready when it answers. Where the
 * program comes from is kafka-runtime.ts' business.
 */
import { createServer } from 'node:net'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { once } from 'node:events'
import { listBrokerIds } from './kafka-probe.ts'
import { KafkaProcess } from './kafka-process.ts'
import { runCommand } from '../run-program.ts'
import { findKafkaRuntime, type KafkaHost, type KafkaRuntime } from './kafka-runtime.ts'

/** 2 to 5 s as a rule; a machine whose cores are taken needs several times that. */
const START_TIMEOUT_MS = 90_000
const TOOL_TIMEOUT_MS = 60_000
/** How often a starting broker is asked. */
const READY_POLL_MS = 50

/** Below the range from which systems give outgoing connections their ports: so a restart finds its port free. */
const FIRST_PORT = 20_000
const PORTS = 12_000
const PORT_TRIES = 200

/** A test broker, not a fast one: a small heap, and no second compiler that competes for the cores at start. */
const DEFAULT_JAVA_OPTIONS = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
const TOOL_JAVA_OPTIONS = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

/** What makes a broker start fast, need no replicas, and do its background work while a test waits. */
const COMMON_SETTINGS: Readonly<Record<string, string>> = {
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  'auto.create.topics.enable': 'false',
  'log.retention.check.interval.ms': '1000',
  'log.initial.task.delay.ms': '500',
  'log.cleaner.backoff.ms': '100',
  'log.segment.delete.delay.ms': '500',
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': '1000',
  // a broker that was killed is given up, and may come back, after this time
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
}

export interface KafkaOptions {
  /** More lines of server.properties, or others than the default. */
  readonly settings?: Readonly<Record<string, string>>
  /** Default: a temporary folder, removed by stop(). A folder that was given stays; one with data in it goes on. */
  readonly dataDir?: string
  /** The port of 127.0.0.1. Default: a free one. */
  readonly port?: number
  /** Instead of the small ones of a test broker. */
  readonly javaOptions?: readonly string[]
}

/** One process that can be taken away and brought back. */
export interface KafkaNode {
  readonly nodeId: number
  /** HOST:PORT of a broker; of a controller, its own listener. */
  readonly address: string
  /** Of the running process; another one after restart(). */
  readonly pid: number
  readonly running: boolean
  /** Ends it in order; leaders move first. */
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Returns when the running process has ended, by whoever's doing. */
  ended(): Promise<void>
  /** Starts it again on the same port and data (after stopping it where it runs). Returns when it answers. */
  restart(): Promise<void>
}

export interface RunningKafka extends KafkaNode {
  /** HOST:PORT for clients. */
  readonly bootstrap: string
  readonly dataDir: string
  /** Ends it in order; removes the data unless the folder was given. */
  stop(): Promise<void>
  /** Runs a class of Kafka's jars to its end. Caller gets what it printed. Errors: Error with its output. */
  runTool(mainClass: string, args: readonly string[]): Promise<string>
}

export interface RunningKafkaCluster {
  /** HOST:PORT,HOST:PORT of all brokers. */
  readonly bootstrap: string
  readonly dataDir: string
  readonly controllers: readonly KafkaNode[]
  /** By node id, from 1. */
  readonly brokers: readonly KafkaNode[]
  stop(): Promise<void>
  runTool(mainClass: string, args: readonly string[]): Promise<string>
}

export interface KafkaClusterOptions extends Omit<KafkaOptions, 'port' | 'dataDir'> {
  readonly controllers?: number
  readonly brokers: number
}

/** Thrown when this machine has nothing to run a broker with; the message names what is missing. */
export class KafkaMissing extends Error {
  override readonly name = 'KafkaMissing'
}

/** Starts one broker that is its own controller. Errors: KafkaMissing; Error with the end of its log when it doesn't come up. */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const clientPort = options.port ?? (await findFreePort())
  const controllerPort = await findFreePort()
  const layout: NodeLayout[] = [{ nodeId: 1, roles: 'broker,controller', clientPort, controllerPort }]
  const parts = await startNodes(layout, options)
  const node = parts.nodes[0]
  if (node === undefined) throw new Error('no node was started')
  return {
    nodeId: node.nodeId,
    address: node.address,
    bootstrap: node.address,
    dataDir: parts.dataDir,
    get pid() {
      return node.pid
    },
    get running() {
      return node.running
    },
    kill: () => node.kill(),
    ended: () => node.ended(),
    restart: () => node.restart(),
    stop: () => parts.stop(),
    runTool: (mainClass, args) => parts.runTool(mainClass, args),
  }
}

/**
 * Starts controllers and brokers as processes of their own, for leader changes and unclean elections. Broker node ids count from 1,
 * controllers' from 101. Errors: as startKafka.
 */
export async function startKafkaCluster(options: KafkaClusterOptions): Promise<RunningKafkaCluster> {
  const layout: NodeLayout[] = []
  for (let index = 1; index <= (options.controllers ?? 1); index++) {
    layout.push({ nodeId: 100 + index, roles: 'controller', controllerPort: await findFreePort() })
  }
  for (let index = 1; index <= options.brokers; index++) {
    layout.push({ nodeId: index, roles: 'broker', clientPort: await findFreePort() })
  }
  const parts = await startNodes(layout, options)
  const brokers = parts.nodes.filter((node) => node.nodeId < 100)
  return {
    bootstrap: brokers.map((node) => node.address).join(','),
    dataDir: parts.dataDir,
    controllers: parts.nodes.filter((node) => node.nodeId > 100),
    brokers,
    stop: () => parts.stop(),
    runTool: (mainClass, args) => parts.runTool(mainClass, args),
  }
}

interface NodeLayout {
  readonly nodeId: number
  readonly roles: 'broker' | 'controller' | 'broker,controller'
  readonly clientPort?: number
  readonly controllerPort?: number
}

interface Cluster {
  readonly dataDir: string
  readonly nodes: readonly Node[]
  stop(): Promise<void>
  runTool(mainClass: string, args: readonly string[]): Promise<string>
}

async function startNodes(layout: readonly NodeLayout[], options: KafkaOptions): Promise<Cluster> {
  const runtime = await findKafkaRuntime()
  if ('missing' in runtime) throw new KafkaMissing(`a Kafka broker needs ${runtime.missing}`)
  const dataDir = options.dataDir ?? makeDataDir()
  mkdirSync(dataDir, { recursive: true })
  const ports = layout.flatMap((node) => [node.clientPort ?? [], node.controllerPort ?? []].flat())
  const host = await runtime.openHost(ports, dataDir)
  const nodes = layout.map((node) => new Node(node, { layout, runtime, host, dataDir, options }))
  let tools = 0
  const cluster: Cluster = {
    dataDir,
    nodes,
    async stop() {
      // brokers hand over to a controller that is still there
      await Promise.all(nodes.filter((node) => node.isBroker).map((node) => node.stop()))
      await Promise.all(nodes.map((node) => node.stop()))
      await host.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
    async runTool(mainClass, args) {
      const command = host.command(`tool-${++tools}`, { mainClass, args, javaOptions: TOOL_JAVA_OPTIONS })
      const { ok, output } = await runCommand(command, TOOL_TIMEOUT_MS)
      if (!ok) throw new Error(`${mainClass} ${args.join(' ')} failed:\n${output}`)
      return output
    },
  }
  try {
    const clusterId = readOrMakeClusterId(dataDir)
    await Promise.all(nodes.map((node) => node.format(clusterId, cluster)))
    for (const node of nodes) node.spawn()
    await Promise.all(nodes.map((node) => node.ready()))
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Data that is there goes on: formatting skips it, but wants to hear its own cluster id. */
function readOrMakeClusterId(dataDir: string): string {
  const file = join(dataDir, 'cluster-id')
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const id = toClusterId(randomBytes(16))
  writeFileSync(file, id)
  return id
}

/** 16 bytes as 22 characters of URL-safe base64. A first `-` would look like a flag to the format tool. */
function toClusterId(bytes: Buffer): string {
  const id = bytes.toString('base64url')
  return id.startsWith('-') ? `A${id.slice(1)}` : id
}

interface NodeSurroundings {
  readonly layout: readonly NodeLayout[]
  readonly runtime: KafkaRuntime
  readonly host: KafkaHost
  readonly dataDir: string
  readonly options: KafkaOptions
}

class Node implements KafkaNode {
  readonly nodeId: number
  readonly isBroker: boolean
  readonly address: string
  readonly #layout: NodeLayout
  readonly #around: NodeSurroundings
  readonly #settingsFile: string
  readonly #logFile: string
  readonly #dataFolder: string
  #process: KafkaProcess | undefined
  #starts = 0

  constructor(layout: NodeLayout, around: NodeSurroundings) {
    this.nodeId = layout.nodeId
    this.isBroker = layout.clientPort !== undefined
    this.address = `127.0.0.1:${layout.clientPort ?? layout.controllerPort ?? 0}`
    this.#layout = layout
    this.#around = around
    this.#settingsFile = join(around.dataDir, `node-${layout.nodeId}.properties`)
    this.#dataFolder = join(around.dataDir, `data-${layout.nodeId}`)
    this.#logFile = join(around.dataDir, `node-${layout.nodeId}.log`)
  }

  get pid(): number {
    if (this.#process === undefined) throw new Error(`kafka node ${this.nodeId} was not started`)
    return this.#process.pid
  }

  get running(): boolean {
    return this.#process?.running ?? false
  }

  async format(clusterId: string, cluster: Pick<Cluster, 'runTool'>): Promise<void> {
    const lines = Object.entries(this.#settings()).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(this.#settingsFile, lines.join(''))
    // a JVM's start saved
    if (existsSync(join(this.#dataFolder, 'meta.properties'))) return
    const args = ['format', `--cluster-id=${clusterId}`, '--ignore-formatted', '-c', this.#settingsFile]
    await cluster.runTool('kafka.tools.StorageTool', args)
  }

  spawn(): void {
    const { host, options } = this.#around
    const javaOptions = options.javaOptions ?? DEFAULT_JAVA_OPTIONS
    const run = { mainClass: 'kafka.Kafka', args: [this.#settingsFile], javaOptions }
    this.#process = new KafkaProcess(host.command(this.#processName(++this.#starts), run), this.#logFile)
  }

  /** Waits by asking: a broker until it knows itself and the other running brokers, a controller while it runs. */
  async ready(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await this.#answers())) {
      if (!this.running) throw new Error(`kafka node ${this.nodeId} ended at start:\n${this.#process?.logTail()}`)
      if (Date.now() > deadline) {
        throw new Error(
          `kafka node ${this.nodeId} isn't ready after ${START_TIMEOUT_MS} ms:\n${this.#process?.logTail()}`,
        )
      }
      await delay(READY_POLL_MS)
    }
  }

  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  async kill(): Promise<void> {
    await this.#around.host.kill?.(this.#processName(this.#starts))
    await this.#process?.kill()
  }

  async ended(): Promise<void> {
    await this.#process?.ended()
  }

  async restart(): Promise<void> {
    await this.stop()
    this.spawn()
    await this.ready()
  }

  #processName(start: number): string {
    return `node-${this.nodeId}-${start}`
  }

  async #answers(): Promise<boolean> {
    const { clientPort } = this.#layout
    if (clientPort === undefined) return this.running
    const ids = await listBrokerIds(clientPort)
    return ids?.includes(this.nodeId) ?? false
  }

  #settings(): Record<string, string> {
    const { layout, runtime, options } = this.#around
    const { nodeId, roles, clientPort, controllerPort } = this.#layout
    const bind = runtime.bindAddress
    const voters = layout.filter((node) => node.controllerPort !== undefined)
    const listeners = [
      ...(clientPort === undefined ? [] : [`PLAINTEXT://${bind}:${clientPort}`]),
      ...(controllerPort === undefined ? [] : [`CONTROLLER://${bind}:${controllerPort}`]),
    ]
    return {
      ...COMMON_SETTINGS,
      'process.roles': roles,
      'node.id': String(nodeId),
      'controller.quorum.voters': voters.map((node) => `${node.nodeId}@127.0.0.1:${node.controllerPort}`).join(','),
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      listeners: listeners.join(','),
      ...(clientPort === undefined ? {} : { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${clientPort}` }),
      'log.dirs': this.#dataFolder,
      ...options.settings,
    }
  }
}

async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_TRIES; attempt++) {
    const port = FIRST_PORT + (randomBytes(4).readUInt32BE() % PORTS)
    if (await isFreePort(port)) return port
  }
  throw new Error(`no free port of 127.0.0.1 in ${PORT_TRIES} tries`)
}

/** Whether a port of 127.0.0.1 can be listened on now. */
export async function isFreePort(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

const DATA_FOLDER = /^rollupd-kafka-(\d+)-/

/** A temporary folder for a broker's data, named after this process. Those whose process was killed are removed here. */
function makeDataDir(): string {
  for (const name of readdirSync(tmpdir())) {
    const owner = DATA_FOLDER.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  return mkdtempSync(join(tmpdir(), `rollupd-kafka-${process.pid}-`))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
