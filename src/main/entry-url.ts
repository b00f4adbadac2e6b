/** Owns where the entry points of threads and processes are. */

/** tsc rewrites import paths, not URLs: their extension is this file's own. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

export function entryUrl(
  name: 'ingest-worker' | 'leaf-worker' | 'preview-worker' | 'query-process' | 'query-watcher',
): URL {
  return new URL(`./${name}.${EXTENSION}`, import.meta.url)
}
