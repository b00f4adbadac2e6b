/** Owns the list of properties and their shares of the runs, for the tests and for the long form. */
import { Coverage } from './coverage.ts'
import { enginesProperty, openDuck, openPostgres, type Engine, type EngineFigures } from './engines-property.ts'
import { evaluatorsProperty } from './evaluators-property.ts'
import { followersProperty } from './followers-property.ts'
import { keyOrderProperty } from './key-order-property.ts'
import { LeafBench } from './leaf-run.ts'
import { measureProperty } from './measure-property.ts'
import { queriesProperty } from './queries-property.ts'
import { rowsProperty } from './rows-property.ts'
import { runProperty, type Property, type RunOptions } from './property-run.ts'
import { restartProperty } from './restart-property.ts'
import { splitProperty } from './split-property.ts'
import type { Tally } from './tally.ts'

/** Engines are asked in every so manieth run: they cost ten times as much. */
const ENGINE_SHARE = 3
/** As is that of rollups and restarts by the dozen. */
const STATES_SHARE = 3

export interface SuitePart {
  readonly name: string
  run(options: RunOptions): Promise<void>
}

export class PropertySuite {
  readonly parts: readonly SuitePart[]
  readonly #bench: LeafBench
  readonly #engines: readonly Engine[]
  readonly #coverage: Coverage
  readonly #figures = new Map<string, EngineFigures>()

  private constructor(bench: LeafBench, postgres: Engine, duck: Engine) {
    this.#bench = bench
    this.#engines = [postgres, duck]
    const coverage = new Coverage()
    this.#coverage = coverage
    const compared = this.#engines.map((engine) => {
      const figures = this.#figuresOf(engine.dialect.name)
      return toPart(enginesProperty(bench, engine, coverage, figures), ENGINE_SHARE)
    })
    this.parts = [
      toPart(splitProperty(bench, coverage), 1),
      toPart(measureProperty(bench, coverage), STATES_SHARE),
      toPart(restartProperty(bench, coverage), STATES_SHARE),
      toPart(followersProperty(bench, coverage), STATES_SHARE),
      toPart(evaluatorsProperty(bench, coverage), 1),
      ...compared,
      toPart(queriesProperty(bench, postgres, this.#figuresOf('PostgreSQL, queries')), ENGINE_SHARE),
      toPart(keyOrderProperty(bench, postgres), ENGINE_SHARE),
      toPart(rowsProperty(bench, postgres, this.#figuresOf('PostgreSQL, rows')), ENGINE_SHARE),
    ]
  }

  #figuresOf(name: string): EngineFigures {
    const figures = { asked: 0, failing: 0, unshared: 0, refused: 0, deviating: {} }
    this.#figures.set(name, figures)
    return figures
  }

  static async create(): Promise<PropertySuite> {
    return new PropertySuite(await LeafBench.create(), await openPostgres(), await openDuck())
  }

  /** What was covered and asked so far. */
  tally(): Tally {
    return { coverage: this.#coverage.counts(), engines: Object.fromEntries(this.#figures) }
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine.close()
    this.#bench.close()
  }
}

function toPart<Case>(property: Property<Case>, share: number): SuitePart {
  return {
    name: property.name,
    run: ({ seed, runs }) => runProperty(property, { seed, runs: Math.ceil(runs / share) }),
  }
}
