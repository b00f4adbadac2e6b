/** Owns where readers of one topic meet: an offset of each shard, behind which none of them reads until they have become one, or gave it up. */
import { toShardKey } from '../core/shard.ts'
import type { ShardCursor } from './shard-cursor.ts'

export class MeetingPoint {
  readonly #offsets = new Map<string, number>()

  /** For each shard the position of whoever is furthest. These are borders of record batches. */
  constructor(readers: readonly (readonly ShardCursor[])[]) {
    for (const { shard, next } of readers.flat()) {
      const key = toShardKey(shard)
      this.#offsets.set(key, Math.max(this.#offsets.get(key) ?? 0, next))
    }
  }

  offsetOf({ shard }: ShardCursor): number {
    return this.#offsets.get(toShardKey(shard)) ?? Infinity
  }

  hasArrived(cursor: ShardCursor): boolean {
    return cursor.next >= this.offsetOf(cursor)
  }

  /** The reader is past the point: a batch reached over it. */
  hasMissed(cursor: ShardCursor): boolean {
    return cursor.next > this.offsetOf(cursor)
  }

  /** Offsets that the reader has still to go. */
  distanceOf(cursors: readonly ShardCursor[]): number {
    return cursors.reduce((sum, cursor) => sum + Math.max(0, this.offsetOf(cursor) - cursor.next), 0)
  }
}
