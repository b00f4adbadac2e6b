/** Owns `./dev bench` and `./dev fuzz`: a folder whose TypeScript files are commands of their own. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../command-error.ts'
import { CHECKOUT, runProgram } from '../run-program.ts'

/** Names of the commands in a folder of the checkout: its files NAME.ts, without tests. */
export function listScripts(folder: string): string[] {
  const path = join(CHECKOUT, folder)
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted()
}

/** Runs one command of the folder with the arguments, or all in turn until one fails. Caller gets the exit code. */
export async function runScripts(folder: string, name: string | undefined, args: readonly string[]): Promise<number> {
  const known = listScripts(folder)
  if (name !== undefined && !known.includes(name)) {
    throw new CommandError(
      `${folder}/ has no "${name}"`,
      known.length === 0 ? 'It is empty.' : `It has ${known.join(', ')}.`,
    )
  }
  if (known.length === 0) throw new CommandError(`${folder}/ is empty`)
  for (const script of name === undefined ? known : [name]) {
    const exitCode = await runProgram(process.execPath, [join(CHECKOUT, folder, `${script}.ts`), ...args])
    if (exitCode !== 0) return exitCode
  }
  return 0
}
