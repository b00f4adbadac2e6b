/**
 * Owns the peers that run on Java: a folder of bench/peers with a pom.xml and one program becomes a class path, made once with Maven and javac
 * and again when the folder's files change; a run is one process whose output says what it measured.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../tools/run-program.ts'
import { ProcessTreeMeter } from './process-tree.ts'

const PEERS = join(import.meta.dirname, '..', 'peers')
const FETCH_MS_MAX = 600_000
/** Long enough for any folder of a cache. */
const HASH_DIGITS = 12
/** A line of a peer's program: the last one counts. */
const RESULT = /: ([\d.]+) events\/s, cpu ([\d.]+) s$/gm

export interface JavaPeer {
  /** Folder of bench/peers, without versions. */
  readonly name: string
  /** NAME.java in it. */
  readonly mainClass: string
  readonly javaOptions?: readonly string[]
}

export interface PeerRun {
  /** From the first record to the last, as the program itself says. */
  readonly eventsPerSecond: number
  /** As the program itself says: of the events that it speaks of. */
  readonly cpuSeconds: number
  /** Of the whole run. */
  readonly peakBytes: number
}

/** A folder with the jars, the compiled class and what it finds beside itself. Caller keeps it for runJavaPeer. */
export async function buildJavaPeer({ name, mainClass }: JavaPeer): Promise<string> {
  const program = join(PEERS, name)
  const [pom, source] = [join(program, 'pom.xml'), join(program, `${mainClass}.java`)]
  const hash = createHash('sha256').update(readFileSync(pom)).update(readFileSync(source)).digest('hex')
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rollupd')
  const folder = join(cache, `${name}-peer-${hash.slice(0, HASH_DIGITS)}`)
  if (existsSync(folder)) return folder
  const temporary = `${folder}.${process.pid}`
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary, { recursive: true })
  process.stderr.write(`fetching the peer ${name} through Maven, once\n`)
  const target = ['dependency:copy-dependencies', `-DoutputDirectory=${temporary}/lib`, '-DincludeScope=runtime']
  await mustRun('mvn', ['-q', '-B', '-f', pom, ...target])
  await mustRun('javac', ['-cp', `${temporary}/lib/*`, '-d', temporary, source])
  const services = join(program, 'META-INF')
  if (existsSync(services)) cpSync(services, join(temporary, 'META-INF'), { recursive: true })
  renameSync(temporary, folder)
  return folder
}

/** Errors: where it ends without a result. */
export async function runJavaPeer(folder: string, peer: JavaPeer, args: readonly string[]): Promise<PeerRun> {
  const { name, mainClass, javaOptions = [] } = peer
  const child = spawn('java', [...javaOptions, '-cp', `${folder}/lib/*:${folder}`, mainClass, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const meter = new ProcessTreeMeter(child.pid ?? 0)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  const { peakBytes } = meter.end()
  const last = [...output.matchAll(RESULT)].at(-1)
  if (code !== 0 || last === undefined) throw new Error(`the peer ${name} ended with ${code}: ${output}`)
  return { eventsPerSecond: Number(last[1]), cpuSeconds: Number(last[2]), peakBytes }
}

async function mustRun(file: string, args: readonly string[]): Promise<void> {
  const { ok, output } = await runCommand({ file, args }, FETCH_MS_MAX)
  if (!ok) throw new Error(`${file} failed:\n${output}`)
}
