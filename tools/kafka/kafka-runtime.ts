/**
 * Owns where a development broker's program comes from: Java 17+ with Kafka's jars (fetched once through Maven), or a Docker
 * engine with the official image. What is run with it is kafka-broker.ts' business.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CHECKOUT, type Command, runCommand } from '../run-program.ts'

const KAFKA_VERSION = '4.3.1'
const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`
const JAVA_MAJOR_MIN = 17

/** A command's answer to "are you there": a slow disk's first start of a JVM stays far below. */
const PROBE_TIMEOUT_MS = 30_000
/** 45 jars of 44 MB: seconds as a rule, minutes on a slow line. */
const FETCH_TIMEOUT_MS = 600_000

const TOOL_FOLDER = import.meta.dirname
const LOG_SETTINGS = join(TOOL_FOLDER, 'log4j2.properties')

/** How often a starting container is asked for. */
const CONTAINER_POLL_MS = 200

/** A process of Kafka's, and the signal that ends it when whoever started it is gone. */
export interface KafkaCommand extends Command {
  readonly orphanSignal: 'KILL' | 'TERM'
}

export interface JavaRun {
  readonly mainClass: string
  readonly args: readonly string[]
  readonly javaOptions?: readonly string[]
}

/** Something that can run a class of Kafka's. */
export interface KafkaRuntime {
  /** What the listeners bind to. */
  readonly bindAddress: string
  /**
   * Makes a home for processes which see each other on 127.0.0.1, with these ports reachable from outside.
   * With Docker: one network namespace, held open by a container.
   */
  openHost(ports: readonly number[], dataDir: string): Promise<KafkaHost>
}

export interface KafkaHost {
  /** The command that runs a class in the foreground. `name` is unique on the host. */
  command(name: string, run: JavaRun): KafkaCommand
  /** Ends a running command at once, as SIGKILL does. Absent: signal the spawned process itself. */
  kill?(name: string): Promise<void>
  close(): Promise<void>
}

/** What this machine can run a broker with, or a list of what is missing. Cost: up to a second; ask once. */
export async function findKafkaRuntime(): Promise<KafkaRuntime | { readonly missing: string }> {
  const java = await findJava()
  if (java.found) {
    const jars = findJars() ?? ((await hasMaven()) ? await fetchJars() : undefined)
    if (jars !== undefined) return javaRuntime(java.file, jars)
  }
  if (await hasDocker()) return dockerRuntime()
  const maven = (await hasMaven()) ? '' : `${java.found ? '' : ', '}Maven (mvn)`
  const javaPart = java.found ? '' : `Java ${JAVA_MAJOR_MIN} or later (${java.reason})`
  return { missing: `${javaPart}${maven}, or instead of them a running Docker engine` }
}

// --- Java and Maven

type Java = { readonly found: true; readonly file: string } | { readonly found: false; readonly reason: string }

async function findJava(): Promise<Java> {
  const home = process.env['JAVA_HOME']
  const file = home !== undefined && existsSync(join(home, 'bin', 'java')) ? join(home, 'bin', 'java') : 'java'
  const { ok, output } = await runCommand({ file, args: ['-version'] }, PROBE_TIMEOUT_MS)
  if (!ok) return { found: false, reason: 'there is no java' }
  const major = Number(/version "(\d+)/.exec(output)?.[1] ?? 0)
  if (major < JAVA_MAJOR_MIN) return { found: false, reason: `java here is version ${major}` }
  return { found: true, file }
}

async function hasMaven(): Promise<boolean> {
  return (await runCommand({ file: 'mvn', args: ['-v'] }, PROBE_TIMEOUT_MS)).ok
}

/** Named by the content of the pom, so that another list of jars never meets an old folder. */
function jarFolderName(): string {
  const pom = readFileSync(join(TOOL_FOLDER, 'pom.xml'))
  return `kafka-${KAFKA_VERSION}-${createHash('sha256').update(pom).digest('hex').slice(0, 8)}`
}

/** First choice: a cache that all clones of a user share. Second: the checkout, where the home can't be written. */
function jarCaches(): string[] {
  const userCache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return [join(userCache, 'rollupd'), join(CHECKOUT, '.dev', 'kafka')]
}

function findJars(): string | undefined {
  const name = jarFolderName()
  return jarCaches()
    .map((cache) => join(cache, name))
    .find((folder) => existsSync(folder))
}

function findWritableCache(): string {
  for (const cache of jarCaches()) {
    try {
      mkdirSync(cache, { recursive: true })
      accessSync(cache, constants.W_OK)
      return cache
    } catch {
      // the next one; the checkout's own folder is the last
    }
  }
  throw new Error(`can't write Kafka's jars to any of ${jarCaches().join(', ')}`)
}

/** Copies Kafka's jars into the cache. Whole or not at all: a temporary folder, then a rename. */
async function fetchJars(): Promise<string> {
  const cache = findWritableCache()
  const folder = join(cache, jarFolderName())
  process.stderr.write(`fetching Kafka ${KAFKA_VERSION} through Maven, once, to ${folder}\n`)
  const temporary = mkdtempSync(join(cache, 'fetch-'))
  try {
    const pom = join(TOOL_FOLDER, 'pom.xml')
    const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${temporary}`]
    const { ok, output } = await runCommand(
      { file: 'mvn', args: [...args, '-DincludeScope=runtime'] },
      FETCH_TIMEOUT_MS,
    )
    if (!ok) throw new Error(`can't fetch Kafka's jars through Maven:\n${output}`)
    try {
      renameSync(temporary, folder)
    } catch (error) {
      // another process was faster: its folder is as good
      if (!existsSync(folder)) throw error
    }
    return folder
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function javaRuntime(file: string, jars: string): KafkaRuntime {
  return {
    bindAddress: '127.0.0.1',
    openHost: () =>
      Promise.resolve({
        command: (_name, { mainClass, args, javaOptions = [] }) => ({
          file,
          args: [`-Dlog4j2.configurationFile=${LOG_SETTINGS}`, ...javaOptions, '-cp', `${jars}/*`, mainClass, ...args],
          orphanSignal: 'KILL',
        }),
        close: () => Promise.resolve(),
      }),
  }
}

// --- Docker

async function hasDocker(): Promise<boolean> {
  return (await runCommand({ file: 'docker', args: ['info'] }, PROBE_TIMEOUT_MS)).ok
}

/**
 * Every process is a container in the network namespace of one idle container, which publishes the ports: so the same
 * settings serve both ways. The idle one ends when this process does, because its standard input closes. The data folder
 * and the tool folder are mounted at their own paths.
 */
function dockerRuntime(): KafkaRuntime {
  return {
    // published ports arrive at the container's outer address
    bindAddress: '0.0.0.0',
    async openHost(ports, dataDir) {
      const holder = `rollupd-kafka-${process.pid}-${ports[0] ?? 0}`
      const publish = ports.flatMap((port) => ['-p', `127.0.0.1:${port}:${port}`])
      const idle = ['run', '-i', '--rm', '--name', holder, ...publish, '--entrypoint', 'cat', KAFKA_IMAGE]
      const holding = spawn('docker', idle, { stdio: ['pipe', 'ignore', 'inherit'], detached: true })
      await waitForContainer(holder, holding)
      return {
        command: (name, { mainClass, args, javaOptions = [] }) => ({
          file: 'docker',
          args: [
            ...`run --rm --name ${holder}-${name} --network container:${holder}`.split(' '),
            ...`--user ${userInfo().uid}:${userInfo().gid} --entrypoint java`.split(' '),
            '-v',
            `${dataDir}:${dataDir}`,
            '-v',
            `${TOOL_FOLDER}:${TOOL_FOLDER}:ro`,
            KAFKA_IMAGE,
            `-Dlog4j2.configurationFile=${LOG_SETTINGS}`,
            ...javaOptions,
            '-cp',
            '/opt/kafka/libs/*',
            mainClass,
            ...args,
          ],
          // the client passes it on to the container; a killed client would leave the container
          orphanSignal: 'TERM',
        }),
        kill: async (name) => {
          await runCommand({ file: 'docker', args: ['kill', `${holder}-${name}`] }, PROBE_TIMEOUT_MS)
        },
        close: async () => {
          holding.stdin.end()
          await runCommand({ file: 'docker', args: ['rm', '-f', holder] }, PROBE_TIMEOUT_MS)
        },
      }
    },
  }
}

async function waitForContainer(name: string, client: ChildProcess): Promise<void> {
  const deadline = Date.now() + FETCH_TIMEOUT_MS
  const inspect = { file: 'docker', args: ['inspect', '-f', '{{.State.Running}}', name] }
  while ((await runCommand(inspect, PROBE_TIMEOUT_MS)).output !== 'true') {
    if (client.exitCode !== null || Date.now() > deadline) throw new Error(`docker can't run ${KAFKA_IMAGE}`)
    await delay(CONTAINER_POLL_MS)
  }
}
