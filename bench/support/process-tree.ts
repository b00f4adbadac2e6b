/** Owns what a process and all its descendants cost: CPU seconds, and peak memory as the sum of their proportional set sizes. */
import { readdirSync, readFileSync } from 'node:fs'

const SAMPLE_MS = 100
/** Of the kernel's clock in /proc: 100 a second on Linux. */
const TICKS_PER_SECOND = 100

export interface TreeCost {
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** Samples until `end` is called. Processes that came and went between two samples are missed; CPU of ended ones is kept. */
export class ProcessTreeMeter {
  readonly #rootPid: number
  readonly #cpuByPid = new Map<number, number>()
  readonly #timer: NodeJS.Timeout
  #peakBytes = 0

  constructor(rootPid: number) {
    this.#rootPid = rootPid
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS)
    this.#sample()
  }

  /** Cost so far. */
  get cost(): TreeCost {
    let cpuSeconds = 0
    for (const seconds of this.#cpuByPid.values()) cpuSeconds += seconds
    return { cpuSeconds, peakBytes: this.#peakBytes }
  }

  end(): TreeCost {
    this.#sample()
    clearInterval(this.#timer)
    return this.cost
  }

  #sample(): void {
    let bytes = 0
    for (const pid of listTree(this.#rootPid)) {
      const seconds = readCpuSeconds(pid)
      if (seconds !== undefined) this.#cpuByPid.set(pid, seconds)
      bytes += readProportionalBytes(pid)
    }
    this.#peakBytes = Math.max(this.#peakBytes, bytes)
  }
}

function listTree(rootPid: number): number[] {
  const childrenByParent = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const parent = readStat(pid)?.[1]
    if (parent === undefined) continue
    const siblings = childrenByParent.get(Number(parent))
    if (siblings === undefined) childrenByParent.set(Number(parent), [pid])
    else siblings.push(pid)
  }
  const tree = [rootPid]
  for (let index = 0; index < tree.length; index++) tree.push(...(childrenByParent.get(tree[index] ?? 0) ?? []))
  return tree
}

/** Fields of /proc/PID/stat from `state` on; undefined when the process is gone. */
function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function readCpuSeconds(pid: number): number | undefined {
  const stat = readStat(pid)
  return stat === undefined ? undefined : (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND
}

function readProportionalBytes(pid: number): number {
  try {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    return Number(match?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
