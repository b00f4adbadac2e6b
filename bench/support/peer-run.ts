/** Owns a run of a peer's program: one process, whose last line says what it measured. */
import { spawn } from 'node:child_process'
import { ProcessTreeMeter } from './process-tree.ts'

/** A line of a peer's program: the last one counts. */
const RESULT = /: ([\d.]+) events\/s, cpu ([\d.]+) s$/gm

export interface PeerRun {
  /** From the first record to the last, as the program itself says. */
  readonly eventsPerSecond: number
  /** As the program itself says: of the events that it speaks of. */
  readonly cpuSeconds: number
  /** Of the whole run. */
  readonly peakBytes: number
}

/** Errors: where it ends without a result. */
export async function runPeer(name: string, file: string, args: readonly string[]): Promise<PeerRun> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const meter = new ProcessTreeMeter(child.pid ?? 0)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const { peakBytes } = meter.end()
  const last = [...output.matchAll(RESULT)].at(-1)
  if (code !== 0 || last === undefined) throw new Error(`the peer ${name} ended with ${code}: ${output}`)
  return { eventsPerSecond: Number(last[1]), cpuSeconds: Number(last[2]), peakBytes }
}
