/**
 * Owns bench/results.json: what each bench found when it ran last as it is run by default, with all that is needed to judge the figures. The
 * documents quote from it. A run with arguments of its own is written beside it (.dev/bench-results.json), so that a short try replaces nothing.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { CHECKOUT } from './checkout.ts'

const KEPT_FILE = join(CHECKOUT, 'bench', 'results.json')
const TRIAL_FILE = join(CHECKOUT, '.dev', 'bench-results.json')
/** Whoever starts a bench can have its results elsewhere. */
export const RESULTS_VARIABLE = 'ROLLUPD_BENCH_RESULTS'
/** More would be noise. */
const SIGNIFICANT_DIGITS = 4

export interface Figure {
  readonly value: number
  /** Empty for a ratio. */
  readonly unit: string
  /** Absent: neither (a count, a peer's figure). */
  readonly better?: 'higher' | 'lower'
}

export interface Bar {
  readonly value: number
  readonly unit: string
  /** "at least 5", "below 400". */
  readonly bar: string
  readonly met: boolean
  /** Why the figure may not count. */
  readonly note?: string
}

export interface Section {
  /** Day and minute, UTC. */
  readonly date: string
  /** Ends in "+" where the checkout had changes of its own. */
  readonly revision: string
  readonly cores: number
  readonly cpu: string
  /** The load average of the last minute when the bench began: of other work. Absent in results from before it was kept. */
  readonly loadBefore?: number
  readonly node: string
  readonly command: string
  readonly figures: Readonly<Record<string, Figure>>
  readonly bars: Readonly<Record<string, Bar>>
}

export type Results = Readonly<Record<string, Section>>

export function resultsFile(hasArguments: boolean): string {
  return process.env[RESULTS_VARIABLE] ?? (hasArguments ? TRIAL_FILE : KEPT_FILE)
}

export function readResults(file = KEPT_FILE): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {}
}

/** Replaces the bench's section; the others stay. */
export function writeSection(file: string, name: string, section: Section): void {
  const results = { ...readResults(file), [name]: section }
  const sorted = Object.fromEntries(Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`)
}

export function roundFigure(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS))
}

/** What the figures of this process depend on besides the code. */
export function describeRun(): Pick<Section, 'date' | 'revision' | 'cores' | 'cpu' | 'node'> {
  return {
    date: `${new Date().toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)}Z`,
    revision: findRevision(),
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
  }
}

function findRevision(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', CHECKOUT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    // results of benches that ran before are no change of what is measured
    const changes = git('status', '--porcelain', '--', 'src', 'bench', 'migrations', ':!bench/results.json')
    return `${git('rev-parse', '--short=9', 'HEAD')}${changes === '' ? '' : '+'}`
  } catch {
    return 'unknown'
  }
}
