/** Owns what is kept of one rollup while it is read in a set: where the leaf stands, and why it leaves the set. */
import { type HaltReason, toShardKey } from '../core/shard.ts'
import type { BatchFate } from './open-batch.ts'
import type { IngestEvents } from './ingest-events.ts'
import type { ShardCursor } from './shard-cursor.ts'

/**
 * `halted`: a record halted a shard at `next`, while others go on behind it. `refused`: the leaf wants another position. `failed`: nothing
 * more can be stored.
 */
export type Departure =
  | { readonly kind: 'halted'; readonly cursor: ShardCursor; readonly next: number; readonly reason: HaltReason }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed' }

export class ReadRollup {
  readonly events: IngestEvents
  departure: Departure | undefined
  /** The leaf's next offsets, by shard, as far as it has told; undefined: it knows no such shard any more. */
  readonly #stored = new Map<string, number | undefined>()

  constructor(events: IngestEvents) {
    this.events = events
  }

  /** Its batches aren't handed to the leaf any more. */
  get hasLeft(): boolean {
    return this.departure !== undefined && this.departure.kind !== 'halted'
  }

  /** Takes what became of its batch. */
  settle(fate: BatchFate, maxTimestampMs: number): void {
    if (fate.kind === 'nothing') return
    if (fate.kind === 'failed') {
      this.departure = { kind: 'failed' }
      // the other reason is that the service stops
      if (fate.error.code !== 'disk_full') return
      const message = `${fate.error.message}; make room, then resume: nothing is lost or counted twice`
      return this.events.rollupHalted({ code: 'disk_full', message })
    }
    const { answer, elapsedMs } = fate
    if (!answer.taken) this.departure = { kind: 'refused' }
    for (const { shard, outcome, nextOffset } of answer.ranges) {
      if (outcome === 'gone') this.#stored.set(toShardKey(shard), undefined)
      else if (nextOffset !== undefined) this.#stored.set(toShardKey(shard), nextOffset)
    }
    if (!answer.taken) return
    const positions = answer.ranges.map(({ shard, nextOffset }) => ({ shard, nextOffset: nextOffset as number }))
    const { records, groups } = answer
    this.events.committed({ positions, maxTimestampMs, elapsedMs, records, groups })
  }

  /** Where it goes on when it has left the set that stood at `cursors`; undefined: it doesn't. */
  continueFrom(cursors: readonly ShardCursor[]): ShardCursor[] | undefined {
    const { departure } = this
    switch (departure?.kind) {
      case 'failed':
        return undefined
      case 'halted':
        return cursors.map((cursor) => {
          const own = cursor.copy()
          if (cursor !== departure.cursor) return own
          own.next = departure.next
          own.halt(departure.reason)
          return own
        })
      case 'refused':
        return cursors.flatMap((cursor) => this.#rewound(cursor))
      default:
        return cursors.map((cursor) => cursor.copy())
    }
  }

  #rewound(cursor: ShardCursor): ShardCursor[] {
    const key = toShardKey(cursor.shard)
    const own = cursor.copy()
    if (this.#stored.has(key)) {
      const stored = this.#stored.get(key)
      if (stored === undefined) return []
      own.rewind(stored)
    }
    // a halt that was decided behind the leaf's position comes again when reading gets there
    if (own.reason !== undefined && own.status === 'halted' && own.reason.code !== 'recreated') own.wait(own.reason)
    return [own]
  }
}

/** Where some members of a set go on. */
export interface Successor {
  /** Their numbers in the set. */
  readonly members: readonly number[]
  readonly cursors: readonly ShardCursor[]
}

/** Of a set that has ended at `cursors`: who goes on together, and who by itself. */
export function successorsOf(rollups: readonly ReadRollup[], cursors: readonly ShardCursor[]): Successor[] {
  const staying = rollups.flatMap(({ departure }, member) => (departure === undefined ? [member] : []))
  const together = staying.length === 0 ? [] : [{ members: staying, cursors: cursors.map((cursor) => cursor.copy()) }]
  const apart = rollups.flatMap((rollup, member) => {
    const own = rollup.departure === undefined ? undefined : rollup.continueFrom(cursors)
    return own === undefined ? [] : [{ members: [member], cursors: own }]
  })
  return [...together, ...apart]
}
