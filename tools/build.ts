/**
 * Owns what is published: each entry point of src/main as one file in dist/main, with the packages left outside but for two. Threads run from modules that
 * are one file fold a tenth to a fifth more records a second: a name that is imported is loaded anew at each use, one of the own file is not.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { CHECKOUT } from './run-program.ts'

/** Of the command line, and of each thread and process that it starts (src/main/entry-url.ts). */
const ENTRIES = ['cli', 'ingest-worker', 'leaf-worker', 'preview-worker', 'query-process', 'query-watcher']
const OUTPUT = join(CHECKOUT, 'dist')
/** Packages of many modules, of which we use a few: to load typebox's took a quarter second of each start, of a client's command too, yaml's 20 ms. */
const TAKEN_IN = /^(typebox|yaml)($|\/)/
/** Another package's own modules and ours name what they import by its path. */
const BY_PATH = /^[./]/

const isLeftOutside = (id: string): boolean => !BY_PATH.test(id) && !TAKEN_IN.test(id)

rmSync(OUTPUT, { recursive: true, force: true })
for (const name of ENTRIES) {
  const bundle = await rolldown({
    input: join(CHECKOUT, 'src', 'main', `${name}.ts`),
    platform: 'node',
    external: isLeftOutside,
    tsconfig: true,
  })
  await bundle.write({
    dir: join(OUTPUT, 'main'),
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    // what a command loads when it needs it
    chunkFileNames: `${name}-[name].js`,
  })
  await bundle.close()
}
