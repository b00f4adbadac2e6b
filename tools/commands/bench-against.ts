/**
 * Owns `./dev bench --against REV`: the benches of this checkout measure another revision and this checkout in turn, and say which is faster. The
 * other one is checked out below .dev with this checkout's bench/ laid over it, so that both are measured by the same programs.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { formatFigure } from '../../bench/support/bench-report.ts'
import { type Figure, readResults, RESULTS_VARIABLE } from '../../bench/support/bench-results.ts'
import { median } from '../../bench/support/median.ts'
import { betterBy, type Interval, PAIRS_MIN } from '../../bench/support/paired-ratios.ts'
import { formatTable } from '../../src/cli/text-table.ts'
import { CommandError } from '../command-error.ts'
import { CHECKOUT, runCommand } from '../run-program.ts'

/** Without a broker, half a minute a pair. */
const NAMES_DEFAULT = ['decode', 'fold', 'leaf']
const INSTALL_MS_MAX = 600_000
const RUN_MS_MAX = 3_600_000
const FOLDER = join(CHECKOUT, '.dev', 'against')

export interface AgainstOptions {
  readonly revision: string
  readonly pairs: number
  /** Absent: those that need no broker. */
  readonly name: string | undefined
  readonly args: readonly string[]
}

type Runs = Map<string, { readonly figure: Figure; readonly values: number[] }>

/** Caller gets the exit code. Errors: CommandError for an unknown revision, too few pairs, a bench that fails. */
export async function runAgainst({ revision, pairs, name, args }: AgainstOptions): Promise<number> {
  if (!(pairs >= PAIRS_MIN))
    throw new CommandError(`${pairs} pairs say nothing`, `Take ${PAIRS_MIN} or more, with --pairs.`)
  const tree = await checkOut(revision)
  try {
    for (const bench of name === undefined ? NAMES_DEFAULT : [name]) {
      const [ours, theirs]: [Runs, Runs] = [new Map(), new Map()]
      for (let pair = 0; pair < pairs; pair++) {
        process.stderr.write(`${bench}: pair ${pair + 1} of ${pairs}\n`)
        const sides = [
          { root: CHECKOUT, runs: ours },
          { root: tree, runs: theirs },
        ]
        // whichever runs first may find the machine otherwise than the second
        for (const { root, runs } of pair % 2 === 0 ? sides : sides.toReversed()) {
          collect(runs, await runOnce(root, bench, args))
        }
      }
      process.stdout.write(`\n${bench}, ${pairs} pairs of runs\n\n${formatComparison(ours, theirs, revision)}\n`)
    }
  } finally {
    git('worktree', 'remove', '--force', tree)
  }
  return 0
}

/** A working tree of the revision with our benches, built by its own launcher. Caller removes it. */
async function checkOut(revision: string): Promise<string> {
  let commit: string
  try {
    commit = git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
  } catch {
    throw new CommandError(`git knows no revision "${revision}"`, 'Name a branch, a tag or a commit.')
  }
  const tree = join(FOLDER, commit)
  // of a run that was killed
  if (existsSync(tree)) git('worktree', 'remove', '--force', tree)
  mkdirSync(FOLDER, { recursive: true })
  git('worktree', 'add', '--quiet', '--detach', tree, commit)
  rmSync(join(tree, 'bench'), { recursive: true, force: true })
  cpSync(join(CHECKOUT, 'bench'), join(tree, 'bench'), { recursive: true })
  process.stderr.write(`installing ${revision}\n`)
  const { ok, output } = await runCommand({ file: join(tree, 'dev'), args: ['bench', '--list'] }, INSTALL_MS_MAX)
  if (!ok) throw new CommandError(`"${revision}" can't be installed`, output)
  return tree
}

async function runOnce(root: string, bench: string, args: readonly string[]): Promise<Record<string, Figure>> {
  const results = join(FOLDER, 'results.json')
  rmSync(results, { force: true })
  const command = {
    file: join(root, 'dev'),
    args: ['bench', bench, ...args],
    environment: { [RESULTS_VARIABLE]: results },
  }
  const { ok, output } = await runCommand(command, RUN_MS_MAX)
  const section = readResults(results)[bench]
  if (!ok || section === undefined) throw new CommandError(`the bench "${bench}" failed in ${root}`, output)
  return section.figures
}

function collect(runs: Runs, figures: Readonly<Record<string, Figure>>): void {
  for (const [title, figure] of Object.entries(figures)) {
    const found = runs.get(title)
    if (found === undefined) runs.set(title, { figure, values: [figure.value] })
    else found.values.push(figure.value)
  }
}

function formatComparison(ours: Runs, theirs: Runs, revision: string): string {
  const rows = [...ours].flatMap(([title, { figure, values }]) => {
    const other = theirs.get(title)
    const { unit, better } = figure
    if (better === undefined || other?.values.length !== values.length) return []
    const interval = betterBy(values, other.values, better)
    return [
      [
        title,
        formatFigure(median(other.values), unit),
        formatFigure(median(values), unit),
        ...(interval === undefined ? ['', '', 'not comparable'] : describe(interval, unit)),
      ],
    ]
  })
  const byChance = (rows.length * 0.05).toFixed(1)
  return (
    `${formatTable(['FIGURE', revision.toUpperCase(), 'HERE', 'BETTER BY', '95 % INTERVAL', 'HERE IS'], rows)}\n\n` +
    `${rows.length} figures: where nothing differs, ${byChance} of them seem to by chance.`
  )
}

function describe({ estimate, low, high }: Interval, unit: string): string[] {
  const percent = (ratio: number): string => `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(1)} %`
  // sizes aren't fast
  const [more, less] = /^(bytes|MB|MiB|%)/.test(unit) ? ['better', 'worse'] : ['faster', 'slower']
  const verdict = low > 1 ? more : high < 1 ? less : 'the same'
  return [percent(estimate), `${percent(low)} to ${percent(high)}`, verdict]
}

function git(...args: string[]): string {
  return execFileSync('git', ['-C', CHECKOUT, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}
