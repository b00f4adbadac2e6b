/** What a leaf holds on disk, seen from outside: for tests that killed its process and want to know where it stood. */
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Next offsets of the open shards by partition, of the only rollup in a data directory. */
export function readPositions(dataDirectory: string): Map<number, number> {
  const rows = query(dataDirectory, 'SELECT partition, next_offset FROM shards WHERE closed = 0')
  return new Map((rows as { partition: number; next_offset: number }[]).map((row) => [row.partition, row.next_offset]))
}

/** Next offsets of all open shards of all rollups together: each commit raises it. */
export function sumPositions(dataDirectory: string): number {
  const [row] = query(dataDirectory, 'SELECT TOTAL(next_offset) AS sum FROM shards WHERE closed = 0')
  return (row as { sum: number }).sum
}

function query(dataDirectory: string, sql: string): unknown[] {
  const leaf = new Database(join(dataDirectory, 'leaf.db'), { readonly: true, fileMustExist: true })
  try {
    return leaf.prepare(sql).all()
  } finally {
    leaf.close()
  }
}
