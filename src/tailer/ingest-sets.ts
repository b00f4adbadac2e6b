/**
 * Owns which rollups of a thread are read together. Each begins alone; readers of one topic that come near each other meet (set-meetings.ts) and
 * go on as one. Who reads what changes only by ending a reader and beginning others where it stood, one change after another.
 */
import { FoldSet } from '../aggregator/fold-set.ts'
import { assert, at } from '../core/assert.ts'
import { RecordBatchDecoder } from '../records/record-batch-decoder.ts'
import type { BatchCommitter, IngestEvents, ShardReport } from './ingest-events.ts'
import type { IngestRollup } from './ingest-messages.ts'
import { READING_PACE, type ReadingPace } from './reading-pace.ts'
import type { RecordSource } from './record-source.ts'
import { SetMeetings, type MeetingReader } from './set-meetings.ts'
import { ShardCursor, type ShardStart } from './shard-cursor.ts'
import { TopicIngest } from './topic-ingest.ts'

export interface IngestSetsOptions {
  readonly source: RecordSource
  readonly committer: BatchCommitter
  readonly deadLettersMax: number
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** Absent: READING_PACE. */
  readonly pace?: ReadingPace | undefined
}

/** A rollup that is read. */
interface Member {
  readonly rollup: IngestRollup
  readonly events: IngestEvents
  /** The last one that began for it. */
  reader: Reader | undefined
}

/** A TopicIngest and the rollups that it reads for, in the order of its fold. */
interface Reader extends MeetingReader {
  readonly members: readonly Member[]
}

export class IngestSets {
  readonly #options: IngestSetsOptions
  readonly #pace: ReadingPace
  readonly #decoder = new RecordBatchDecoder()
  readonly #members = new Map<number, Member>()
  /** Those that read, or whose successors haven't begun yet. */
  readonly #readers = new Set<Reader>()
  readonly #meetings: SetMeetings<Reader>
  #changes: Promise<void> = Promise.resolve()
  #isClosing = false

  constructor(options: IngestSetsOptions) {
    this.#options = options
    this.#pace = options.pace ?? READING_PACE
    this.#meetings = new SetMeetings({
      clock: options.clock,
      readers: this.#readers,
      join: (readers) => this.#change(() => this.#join(readers)),
    })
  }

  start(rollup: IngestRollup, events: IngestEvents): void {
    assert(!this.#members.has(rollup.id), `rollup ${rollup.id} is read already`)
    const member: Member = { rollup, events, reader: undefined }
    const cursors = rollup.shards.map((start) => new ShardCursor(start, this.#pace.fetchBytes))
    this.#begin([member], cursors)
    this.#members.set(rollup.id, member)
  }

  /**
   * Returns when what was folded of the rollup is stored, with the last report of its shards; undefined: it isn't read. Those that are read
   * with it go on.
   */
  async stop(rollupId: number): Promise<ShardReport[] | undefined> {
    let reports: ShardReport[] | undefined
    await this.#change(async () => {
      const reader = this.#members.get(rollupId)?.reader
      if (reader === undefined) return
      await reader.ingest.stop()
      reports = reader.ingest.report()
      this.#members.delete(rollupId)
      this.#replace(reader)
    })
    return reports
  }

  /** Shards that only this rollup gets take it out of its set; where all get them, they meet again. */
  async addShards(rollupId: number, shards: readonly ShardStart[]): Promise<void> {
    await this.#change(async () => {
      const member = this.#members.get(rollupId)
      if (member?.reader !== undefined && member.reader.members.length > 1) {
        await member.reader.ingest.stop()
        this.#replace(member.reader, member)
      }
      member?.reader?.ingest.addShards(shards)
    })
  }

  /** Empty for a rollup that isn't read. */
  report(rollupId: number): ShardReport[] {
    return this.#members.get(rollupId)?.reader?.ingest.report() ?? []
  }

  get rollupIds(): readonly number[] {
    return [...this.#members.keys()]
  }

  /** Stores what is folded. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#meetings.close()
    await this.#change(async () => {
      await Promise.all([...this.#readers].map(({ ingest }) => ingest.stop()))
    })
  }

  /** One after another: a reader that ends has its successors before anything else is done to it. */
  #change(body: () => void | Promise<void>): Promise<void> {
    const change = this.#changes.then(body)
    this.#changes = change
    return change
  }

  #begin(members: readonly Member[], cursors: readonly ShardCursor[]): void {
    const { deadLettersMax, source, committer, clock } = this.#options
    const { topic } = at(members, 0).rollup
    const ingest = new TopicIngest({
      topic,
      cursors,
      source,
      fold: new FoldSet(members.map(({ rollup: { id, ...rollup } }) => ({ ...rollup, rollupId: id, deadLettersMax }))),
      decoder: this.#decoder,
      committer,
      events: members.map(({ events }) => events),
      clock,
      pace: this.#pace,
    })
    const reader: Reader = { ingest, topic, members, halves: members.map(({ rollup }) => rollup.plan.ingest) }
    for (const member of members) member.reader = reader
    this.#readers.add(reader)
    ingest.start()
    // what it rejects with is a broken invariant, which nobody handles
    void ingest.ended.then(() => this.#change(() => this.#replace(reader)))
  }

  /** Begins what follows a reader that has ended; `apart` has a reader of its own then. */
  #replace(reader: Reader, apart?: Member): void {
    if (this.#isClosing || !this.#readers.delete(reader)) return
    for (const { members, cursors } of reader.ingest.successors()) {
      const going = members.map((member) => at(reader.members, member)).filter((member) => this.#isRead(member))
      const together = going.filter((member) => member !== apart)
      if (together.length > 0) this.#begin(together, cursors)
      if (together.length < going.length)
        this.#begin(
          going.filter((member) => member === apart),
          cursors.map((cursor) => cursor.copy()),
        )
    }
  }

  #isRead(member: Member): boolean {
    return this.#members.get(member.rollup.id) === member
  }

  /** Ends readers that stand at one point, and begins one for all of their rollups there. */
  async #join(readers: readonly Reader[]): Promise<void> {
    if (readers.some((reader) => !this.#readers.has(reader))) {
      for (const { ingest } of readers) ingest.meetAt(undefined)
      return
    }
    await Promise.all(readers.map(({ ingest }) => ingest.stop()))
    const cursors = this.#isClosing ? undefined : joinCursors(readers.map(({ ingest }) => ingest))
    if (cursors === undefined) {
      for (const reader of readers) this.#replace(reader)
      return
    }
    for (const reader of readers) this.#readers.delete(reader)
    this.#begin(
      readers.flatMap(({ members }) => members),
      cursors,
    )
  }
}

/** Where the rollups of all go on; undefined: they don't stand at the same positions, or not all of them go on. */
function joinCursors(ingests: readonly TopicIngest[]): ShardCursor[] | undefined {
  const joined = new Map<string, ShardCursor>()
  for (const ingest of ingests) {
    const [successor, ...others] = ingest.successors()
    if (successor === undefined || others.length > 0) return undefined
    for (const cursor of successor.cursors) {
      const known = joined.get(cursor.key)
      if (known === undefined) {
        if (ingest !== ingests[0]) return undefined
        joined.set(cursor.key, cursor)
      } else if (!known.join(cursor)) return undefined
    }
    if (successor.cursors.length !== joined.size) return undefined
  }
  return [...joined.values()]
}
