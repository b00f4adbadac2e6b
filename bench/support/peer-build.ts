/** Owns what a peer's program needs: a folder of the cache, made once, and again when the files that it is made from change. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../tools/run-program.ts'
import { CACHE } from './checkout.ts'

const FETCH_MS_MAX = 600_000
/** Long enough for any folder of a cache. */
const HASH_DIGITS = 12

/** The folder. `make` fills another one, that takes its place when all went well; what it makes must bear to be moved. */
export async function buildOnce(
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) hash.update(readFileSync(source))
  const folder = join(CACHE, `${name}-peer-${hash.digest('hex').slice(0, HASH_DIGITS)}`)
  if (existsSync(folder)) return folder
  const temporary = `${folder}.${process.pid}`
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary, { recursive: true })
  process.stderr.write(`fetching the peer ${name}, once\n`)
  await make(temporary)
  renameSync(temporary, folder)
  return folder
}

/** Errors: with its output. */
export async function mustRun(file: string, args: readonly string[]): Promise<void> {
  const { ok, output } = await runCommand({ file, args }, FETCH_MS_MAX)
  if (!ok) throw new Error(`${file} failed:\n${output}`)
}
