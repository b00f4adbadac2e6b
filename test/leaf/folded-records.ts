/** Folds numbered records of one partition into the bytes of partial batches, with the real fold. */
import { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import type { LeafCommitPort } from '../../src/leaf/leaf-commit-port.ts'
import type { RollupDefinition, StoredRollup } from '../../src/leaf/leaf-store.ts'
import { planRollup } from '../../src/planner/plan-rollup.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { definitionOf, shardOf } from './leaf-fixture.ts'

export const GROUPS = 7
/** SELECT g, COUNT(*), SUM(v), AVG(v), MAX(v) FROM _input GROUP BY g */
export function folderDefinition(name: string): ReturnType<typeof definitionOf> {
  return definitionOf(name, {
    groupBy: [{ name: 'g', type: 'any' }],
    partials: [
      { name: 'n', aggregate: 'count' },
      { name: 'v', aggregate: 'sum', type: 'any' },
      { name: 'v', aggregate: 'avg', type: 'any' },
      { name: 'v', aggregate: 'max', type: 'any' },
    ],
  })
}

/** A rollup of that one with the same groups. */
export async function followerDefinition(
  name: string,
  { id, name: source, plan }: Pick<StoredRollup, 'id' | 'name' | 'plan'>,
): Promise<RollupDefinition> {
  await loadParser()
  const sql = `SELECT g, MEASURE(n), MEASURE(v) FROM ${source} GROUP BY g`
  const versions = { timeZones: 'test', unicode: 'test' }
  const follower = planRollup(sql, { versions, source: { name: source, plan } })
  return { ...folderDefinition(name), plan: follower, shards: [], sourceId: id }
}

/** Record i: {"g": "g<i mod 7>", "v": i} */
export class RecordFolder {
  readonly #fold: IngestFold

  constructor({ id, plan }: Pick<StoredRollup, 'id' | 'plan'>) {
    this.#fold = new IngestFold({ rollupId: id, plan, onError: 'dead_letter', deadLettersMax: 10 })
  }

  /** The batch of offsets [first, next) of partition 0. */
  fold(first: number, next: number): ArrayBuffer {
    this.#fold.beginRange(shardOf(0), 'events', first)
    for (let offset = first; offset < next; offset++) {
      const bytes = Buffer.from(JSON.stringify({ g: `g${offset % GROUPS}`, v: offset }))
      this.#fold.beginBatch(bytes)
      this.#fold.record(offset, offset, -1, -1, 0, bytes.length, 0, 0)
    }
    this.#fold.endRange(next, 0, next - 1)
    const batch = this.#fold.seal()
    if (batch === undefined) throw new Error('an empty batch')
    return batch
  }
}

/** Folds and commits [first, next) in batches, each after the answer to the one before. */
export async function commitAll(
  port: LeafCommitPort,
  folder: RecordFolder,
  first: number,
  next: number,
  perBatch: number,
): Promise<void> {
  for (let offset = first; offset < next; offset += perBatch) {
    const outcome = await port.commit(folder.fold(offset, Math.min(next, offset + perBatch)))
    if (!outcome.taken) throw new Error(`refused: ${JSON.stringify(outcome)}`)
  }
}
