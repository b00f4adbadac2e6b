/** Owns what a bench says: its figures and bars, on the terminal as they come and in results.json at the end. */
import { loadavg } from 'node:os'
import { formatTable } from '../../src/cli/text-table.ts'
import { type Bar, describeRun, type Figure, resultsFile, roundFigure, writeSection } from './bench-results.ts'

export interface Limit {
  readonly atLeast?: number
  readonly atMost?: number
  readonly below?: number
  readonly unit?: string
  readonly note?: string | undefined
}

export class BenchReport {
  readonly #name: string
  readonly #loadBefore = roundFigure(loadavg()[0] ?? 0)
  readonly #figures: Record<string, Figure> = {}
  readonly #bars: Record<string, Bar> = {}

  /** `name`: of the program in bench/. */
  constructor(name: string) {
    this.#name = name
  }

  /** Errors: of what was not measured. */
  figure(name: string, value: number, unit: string, better?: 'higher' | 'lower'): void {
    mustBeMeasured(name, value)
    this.#figures[name] = { value: roundFigure(value), unit, ...(better === undefined ? {} : { better }) }
  }

  /** Compares before it rounds; prints. Errors: as of a figure. */
  bar(name: string, value: number, { atLeast, atMost, below, unit = '', note }: Limit): void {
    mustBeMeasured(name, value)
    const met = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) && value < (below ?? Infinity)
    const bar = [
      ...(atLeast === undefined ? [] : [`at least ${roundFigure(atLeast)}`]),
      ...(atMost === undefined ? [] : [`at most ${roundFigure(atMost)}`]),
      ...(below === undefined ? [] : [`below ${roundFigure(below)}`]),
    ].join(', ')
    this.#bars[name] = { value: roundFigure(value), unit, bar, met, ...(note === undefined ? {} : { note }) }
    const remark = note === undefined ? '' : ` (${note})`
    console.log(`${name}: ${formatFigure(value, unit)}, bar ${bar}: ${met ? 'met' : 'MISSED'}${remark}`)
  }

  /** Prints the table of figures and writes the section. */
  end(): void {
    if (Object.keys(this.#figures).length > 0) console.log(`\n${formatFigures(this.#figures)}`)
    const args = process.argv.slice(2)
    const file = resultsFile(args.length > 0)
    const command = ['./dev', 'bench', this.#name, ...args].join(' ')
    writeSection(file, this.#name, {
      ...describeRun(),
      loadBefore: this.#loadBefore,
      command,
      figures: this.#figures,
      bars: this.#bars,
    })
    console.log(`\nwritten to ${file}`)
  }
}

function mustBeMeasured(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new Error(`nothing was measured for "${name}": ${value}`)
}

/** As it is shown everywhere: thousands set apart, then the unit. */
export function formatFigure(value: number, unit: string): string {
  const text = roundFigure(value).toLocaleString('en-US', { maximumFractionDigits: 6 })
  return unit === '' ? text : `${text} ${unit}`
}

function formatFigures(figures: Readonly<Record<string, Figure>>): string {
  const rows = Object.entries(figures).map(([name, { value, unit }]) => [name, String(value), unit])
  return formatTable(['FIGURE', 'VALUE', 'UNIT'], rows)
}
