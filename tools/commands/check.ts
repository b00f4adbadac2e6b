/** Owns `./dev check`: every static check of the tree, each named, timed and run even when another fails. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import colors from 'picocolors'
import { CommandError } from '../command-error.ts'
import { CHECKOUT, runProgram } from '../run-program.ts'

const PREFIX = 'check:'

/** Runs the scripts `check:NAME` of package.json, all or the named ones, in their order. Caller gets 1 when any failed. */
export async function runChecks(names: readonly string[]): Promise<number> {
  const manifest = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const known = Object.keys(manifest.scripts).filter((script) => script.startsWith(PREFIX))
  const wanted = names.length === 0 ? known : names.map((name) => `${PREFIX}${name}`)
  const unknown = wanted.find((script) => !known.includes(script))
  if (unknown !== undefined) {
    const list = known.map((script) => script.slice(PREFIX.length)).join(', ')
    throw new CommandError(`there is no check "${unknown.slice(PREFIX.length)}"`, `There are ${list}.`)
  }
  let failed = 0
  for (const script of wanted) {
    const startedMs = performance.now()
    const exitCode = await runProgram(process.execPath, ['--run', script])
    if (exitCode !== 0) failed++
    const mark = exitCode === 0 ? colors.green('ok') : colors.red('failed')
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    process.stdout.write(`${script.slice(PREFIX.length).padEnd(8)} ${mark} ${colors.dim(`${seconds} s`)}\n`)
  }
  return failed === 0 ? 0 : 1
}
