/**
 * `./dev fuzz sql`: the properties of test/property in their long form. --runs N (default 5000), --seed N, --jobs N (default: the cores): the
 * runs are shared by so many processes; --only TEXT: the properties with it in their names, and nothing is asked of what they cover. A failing
 * run says how to repeat it.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { PropertySuite } from '../property/property-suite.ts'
import type { RunOptions } from '../property/property-run.ts'
import { describeTally, mergeTallies, shortcomingsOf, type Tally } from '../property/tally.ts'

const RUNS_DEFAULT = '5000'

/** What a process says: how a property of its share ended, and at the end what it covered. */
type Message =
  { readonly part: string; readonly seconds: number; readonly failure?: string } | { readonly tally: Tally }

const { values } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' }, jobs: { type: 'string' }, only: { type: 'string' } },
})
const options = { runs: Number(values.runs ?? RUNS_DEFAULT), seed: Number(values.seed ?? '1') }
const only = values.only ?? ''
const jobs = Number(values.jobs ?? String(availableParallelism()))
for (const [name, value] of Object.entries({ runs: options.runs, jobs })) {
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a positive integer`)
}
if (!Number.isSafeInteger(options.seed)) throw new Error('--seed takes an integer')

if (process.send === undefined) process.exitCode = (await shareRuns()) ? 0 : 1
else await runShare(process.send.bind(process))

async function runShare(send: (message: Message) => void): Promise<void> {
  const suite = await PropertySuite.create()
  for (const part of suite.parts.filter(({ name }) => name.includes(only))) {
    const start = performance.now()
    const failure = await part.run(options).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const seconds = (performance.now() - start) / 1_000
    send(failure === undefined ? { part: part.name, seconds } : { part: part.name, seconds, failure })
  }
  send({ tally: suite.tally() })
  await suite.close()
  process.disconnect()
}

/** False: a property doesn't hold, or too little was asked. */
async function shareRuns(): Promise<boolean> {
  const shares = sharesOf(options, jobs)
  const tallies: Tally[] = []
  const held = new Map<string, number>()
  let isHolding = true
  const note = (message: Message): void => {
    if ('tally' in message) {
      tallies.push(message.tally)
      return
    }
    const { part, seconds, failure } = message
    if (failure !== undefined) {
      isHolding = false
      console.error(failure)
      return
    }
    const count = (held.get(part) ?? 0) + 1
    held.set(part, count)
    if (count === shares.length) console.log(`${part}: held, ${seconds.toFixed(0)} s`)
  }
  const ends = shares.map(async ({ runs, seed }) => {
    const child = fork(import.meta.filename, ['--runs', String(runs), '--seed', String(seed), '--only', only])
    child.on('message', note)
    return exitOf(child)
  })
  const codes = await Promise.all(ends)
  const tally = mergeTallies(tallies)
  console.log(describeTally(tally))
  const shortcomings = only === '' ? shortcomingsOf(tally, options) : []
  for (const shortcoming of shortcomings) console.error(shortcoming)
  return isHolding && shortcomings.length === 0 && codes.every((code) => code === 0)
}

/** Each goes on where the one before ends. */
function sharesOf({ runs, seed }: RunOptions, count: number): RunOptions[] {
  const size = Math.ceil(runs / count)
  const starts = Array.from({ length: Math.ceil(runs / size) }, (_, index) => index * size)
  return starts.map((start) => ({ seed: seed + start, runs: Math.min(size, runs - start) }))
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}
