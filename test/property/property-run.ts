/**
 * Owns how properties run: run i of a seed has the seed + i, so that each failing run is repeated alone with its own seed; a failing case is made
 * small before it is told.
 */
import { setImmediate } from 'node:timers/promises'
import { SeededRandom } from '../fuzz/seeded-random.ts'

/** Runs of each property where nothing is said: some seconds each. */
const RUNS_DEFAULT = 150
/** Beyond, so that neighbouring seeds don't walk beside each other. */
const SEED_FACTOR = 0x9e3779b1

export interface RunOptions {
  readonly seed: number
  readonly runs: number
}

/** From PROPERTY_SEED and PROPERTY_RUNS. */
export function runOptions(): RunOptions {
  const { PROPERTY_SEED: seed = '1', PROPERTY_RUNS: runs = String(RUNS_DEFAULT) } = process.env
  return { seed: Number(seed), runs: Number(runs) }
}

export function randomOf(seed: number): SeededRandom {
  return new SeededRandom(Math.imul(seed, SEED_FACTOR))
}

/** A property over random cases; `check` throws where it doesn't hold. */
export interface Property<Case> {
  readonly name: string
  make(random: SeededRandom): Case
  /** `seed` is for what the check itself does at random. */
  check(sample: Case, seed: number): void | Promise<void>
  /** Smaller cases, the boldest first. */
  smaller(sample: Case): Iterable<Case>
  show(sample: Case): string
}

/** Errors: one with the smallest case found and how to repeat it. */
export async function runProperty<Case>(property: Property<Case>, { seed, runs }: RunOptions): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const runSeed = seed + run
    // statements that are garbage are freed between two turns of the event loop alone
    await setImmediate()
    const sample = property.make(randomOf(runSeed))
    const failure = await failureOf(property, sample, runSeed)
    if (failure === undefined) continue
    const smallest = await shrink(property, sample, runSeed, kindOf(failure))
    const last = (await failureOf(property, smallest, runSeed)) ?? failure
    throw new Error(
      `${property.name}, run ${run + 1}: ${last.message}\n${property.show(smallest)}\nrepeat with PROPERTY_SEED=${runSeed} PROPERTY_RUNS=1`,
      { cause: last },
    )
  }
}

async function failureOf<Case>(property: Property<Case>, sample: Case, seed: number): Promise<Error | undefined> {
  try {
    await property.check(sample, seed)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Steps of shrinking: a case of some 30 records and expressions of depth 3 needs far fewer. */
const SHRINK_STEPS_MAX = 1_500

/** A smaller case must fail in the same way. */
function kindOf(failure: Error | undefined): string | undefined {
  return failure?.message.split(':')[0]
}

async function shrink<Case>(
  property: Property<Case>,
  sample: Case,
  seed: number,
  kind: string | undefined,
): Promise<Case> {
  let smallest = sample
  let steps = 0
  for (let improved = true; improved;) {
    improved = false
    for (const candidate of property.smaller(smallest)) {
      if (++steps > SHRINK_STEPS_MAX) return smallest
      if (kindOf(await failureOf(property, candidate, seed)) !== kind) continue
      smallest = candidate
      improved = true
      break
    }
  }
  return smallest
}
