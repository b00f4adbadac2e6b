/** Builds and runs the Kafka Streams peer: a hand-written processor over RocksDB, exactly once, on the same topic. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../tools/run-program.ts'
import { ProcessTreeMeter, type TreeCost } from './process-tree.ts'
import type { Workload } from './workloads.ts'

const PROGRAM = join(import.meta.dirname, '..', 'peers', 'kafka-streams')
const FETCH_MS_MAX = 600_000

/** A folder with the jars and the compiled class; made once. */
export async function buildKafkaStreamsPeer(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rollupd')
  const folder = join(cache, 'kafka-streams-peer-4.3.1')
  if (!existsSync(folder)) {
    const temporary = `${folder}.${process.pid}`
    rmSync(temporary, { recursive: true, force: true })
    mkdirSync(temporary, { recursive: true })
    process.stderr.write('fetching Kafka Streams through Maven, once\n')
    await mustRun('mvn', [
      '-q',
      '-B',
      '-f',
      join(PROGRAM, 'pom.xml'),
      'dependency:copy-dependencies',
      `-DoutputDirectory=${temporary}/lib`,
      '-DincludeScope=runtime',
    ])
    await mustRun('javac', ['-cp', `${temporary}/lib/*`, '-d', temporary, join(PROGRAM, 'KafkaStreamsRollup.java')])
    renameSync(temporary, folder)
  }
  return folder
}

async function mustRun(file: string, args: readonly string[]): Promise<void> {
  const { ok, output } = await runCommand({ file, args }, FETCH_MS_MAX)
  if (!ok) throw new Error(`${file} failed:\n${output}`)
}

export interface PeerRun {
  /** From the first record to the last, as the program itself says. */
  readonly eventsPerSecond: number
  readonly cost: TreeCost
}

export async function runKafkaStreams(
  folder: string,
  {
    bootstrap,
    topic,
    records,
    workload,
    threads,
  }: { bootstrap: string; topic: string; records: number; workload: Workload; threads: number },
): Promise<PeerRun> {
  const child = spawn(
    'java',
    [
      '-cp',
      `${folder}/lib/*:${folder}`,
      'KafkaStreamsRollup',
      bootstrap,
      topic,
      String(records),
      'eos',
      workload,
      String(threads),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const meter = new ProcessTreeMeter(child.pid ?? 0)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  const cost = meter.end()
  const match = /: ([\d,. ]+) events\/s, cpu ([\d.,]+) s/.exec(output)
  if (code !== 0 || match === null) throw new Error(`the Kafka Streams peer ended with ${code}: ${output}`)
  return {
    eventsPerSecond: Number(match[1]?.replaceAll(/[, ]/g, '')),
    cost: { ...cost, cpuSeconds: Number(match[2]?.replace(',', '.')) },
  }
}
