/**
 * Owns that what runs inside a bench's own process runs as it is published, as one file (adr/0013): from modules it would be a tenth to a fifth
 * slower than what users have.
 */
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { CHECKOUT, runProgram } from '../../tools/run-program.ts'

/** Two levels below the checkout, as the sources are: what they look for beside themselves is found. */
const OUTPUT = join(CHECKOUT, '.dev', 'bench')

/** Run by Node as a source, the program bundles itself, runs again as that file, and ends; in the bundle this does nothing. */
export async function runAsOneFile(name: string, url: string): Promise<void> {
  if (!url.endsWith('.ts')) return
  const bundle = await rolldown({
    input: join(CHECKOUT, 'bench', `${name}.ts`),
    platform: 'node',
    external: /^[^./]/,
    tsconfig: true,
  })
  await bundle.write({
    dir: OUTPUT,
    format: 'esm',
    sourcemap: true,
    entryFileNames: `${name}.js`,
    codeSplitting: false,
  })
  await bundle.close()
  process.exit(await runProgram(process.execPath, [join(OUTPUT, `${name}.js`), ...process.argv.slice(2)]))
}
