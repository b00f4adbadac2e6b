/** What a leaf holds on disk, seen from outside: for tests that killed its process and want to know where it stood. */
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Next offsets of the open shards by partition, of the only rollup in a data directory. */
export function readPositions(dataDirectory: string): Map<number, number> {
  const leaf = new Database(join(dataDirectory, 'leaf.db'), { readonly: true, fileMustExist: true })
  try {
    const rows = leaf.prepare('SELECT partition, next_offset FROM shards WHERE closed = 0').all()
    return new Map(
      (rows as { partition: number; next_offset: number }[]).map((row) => [row.partition, row.next_offset]),
    )
  } finally {
    leaf.close()
  }
}
