/** Builds rollupd as it is published, so that a bench measures what users run: without the cost of reading TypeScript. */
import { join } from 'node:path'
import { CHECKOUT, runCommand } from '../../tools/run-program.ts'

const BUILD_MS_MAX = 120_000

/** The built command line's file. */
export async function buildRollupd(): Promise<string> {
  const { ok, output } = await runCommand({ file: 'npm', args: ['--prefix', CHECKOUT, 'run', 'build'] }, BUILD_MS_MAX)
  if (!ok) throw new Error(`the build failed:\n${output}`)
  return join(CHECKOUT, 'dist', 'main', 'cli.js')
}
