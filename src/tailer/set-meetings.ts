/**
 * Owns the meeting of readers of one topic: those that are near each other agree on a point, wait there for each other, for a moment at most, and
 * are joined when the leaf has what all of them have read. One that is far behind reads on alone until it is near.
 */
import { canShareFold } from '../aggregator/compile-ingest.ts'
import type { IngestHalf } from '../planner/plan.ts'
import { MeetingPoint } from './meeting-point.ts'
import type { ShardCursor } from './shard-cursor.ts'
import type { TopicIngest } from './topic-ingest.ts'

/** How often readers are looked at that could meet; rollups that are created together meet while the first is still near. */
const LOOK_MS = 50
/** ... and those that are on their way: a caught-up rollup stands still meanwhile. */
const ARRIVAL_LOOK_MS = 10
/** Records that all of a meeting have to go together, and how long they wait for each other; then all go on alone. */
const BOUNDS = {
  /** One of them has caught up: what it answers grows old meanwhile. */
  caughtUp: { records: 200_000, waitMs: 1_000 },
  /** None has: the thread reads as fast for those that are still on their way. */
  catchingUp: { records: 1_000_000, waitMs: 5_000 },
} as const
/** After a meeting that failed; doubled each time in a row. */
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 60_000
/** Rollups of one reader: bounds what a change of one costs the others. */
const ROLLUPS_MAX = 64

export interface MeetingReader {
  readonly ingest: TopicIngest
  readonly topic: string
  /** Of its rollups. */
  readonly halves: readonly IngestHalf[]
}

export interface SetMeetingsOptions<Reader> {
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  readonly readers: ReadonlySet<Reader>
  /** Makes one of readers that have all arrived. */
  readonly join: (readers: readonly Reader[]) => Promise<void>
}

interface Meeting<Reader> {
  readonly readers: Reader[]
  readonly point: MeetingPoint
  readonly endsAtMs: number
  isJoining: boolean
}

export class SetMeetings<Reader extends MeetingReader> {
  readonly #options: SetMeetingsOptions<Reader>
  readonly #meetings = new Set<Meeting<Reader>>()
  /** Failed meetings in a row, and when the next one may be. */
  readonly #failures = new WeakMap<Reader, { count: number; againAtMs: number }>()
  #timer: NodeJS.Timeout

  constructor(options: SetMeetingsOptions<Reader>) {
    this.#options = options
    this.#timer = setTimeout(() => this.#look(), LOOK_MS)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    for (const meeting of this.#meetings) this.#lookAt(meeting)
    for (const readers of this.#findAlike()) this.#gather(readers)
    this.#timer = setTimeout(() => this.#look(), this.#meetings.size > 0 ? ARRIVAL_LOOK_MS : LOOK_MS)
  }

  #lookAt(meeting: Meeting<Reader>): void {
    const { readers, endsAtMs, isJoining } = meeting
    if (isJoining) return
    const isLate = this.#options.clock() >= endsAtMs
    const isBroken = readers.some((reader) => !this.#options.readers.has(reader) || reader.ingest.hasMissed)
    if (isLate || isBroken) {
      this.#meetings.delete(meeting)
      for (const { ingest } of readers) ingest.meetAt(undefined)
      if (isLate) for (const reader of readers) this.#noteFailure(reader)
    } else if (readers.every(({ ingest }) => ingest.hasArrived)) {
      meeting.isJoining = true
      // what it rejects with is a broken invariant, which nobody handles
      void this.#options.join(readers).then(() => this.#meetings.delete(meeting))
    }
  }

  #noteFailure(reader: Reader): void {
    const count = (this.#failures.get(reader)?.count ?? 0) + 1
    const againAtMs = this.#options.clock() + Math.min(RETRY_MS_MIN * 2 ** (count - 1), RETRY_MS_MAX)
    this.#failures.set(reader, { count, againAtMs })
  }

  /** Readers of the same shards: those near a point of others go there, the rest agree on new ones. */
  #gather(readers: readonly Reader[]): void {
    const rest = readers.filter((reader) => !this.#joinMeeting(reader))
    for (const near of findNear(rest)) {
      const point = new MeetingPoint(near.map(({ ingest }) => ingest.cursors))
      for (const { ingest } of near) ingest.meetAt(point)
      const endsAtMs = this.#options.clock() + boundsOf(near).waitMs
      this.#meetings.add({ readers: near, point, endsAtMs, isJoining: false })
    }
  }

  /** So that many that begin together meet once. */
  #joinMeeting(reader: Reader): boolean {
    for (const { readers, point, isJoining } of this.#meetings) {
      const [first] = readers
      if (isJoining || first === undefined || groupOf(first) !== groupOf(reader)) continue
      const all = [...readers, reader]
      const isBefore = reader.ingest.cursors.every((cursor) => !point.hasMissed(cursor))
      if (!isBefore || !areNear(all, point)) continue
      reader.ingest.meetAt(point)
      readers.push(reader)
      return true
    }
    return false
  }

  /** Readers of the same shards that are in no meeting. */
  #findAlike(): Reader[][] {
    const free = [...this.#options.readers].filter((reader) => this.#canMeet(reader))
    const byTopic = Map.groupBy(free, ({ topic }) => topic)
    return [...byTopic.values()].flatMap((readers) => [...Map.groupBy(readers, groupOf).values()])
  }

  #canMeet(reader: Reader): boolean {
    const { ingest, halves } = reader
    const againAtMs = this.#failures.get(reader)?.againAtMs ?? -Infinity
    return (
      againAtMs <= this.#options.clock() &&
      !ingest.hasMissed &&
      halves.every(canShareFold) &&
      ingest.cursors.every(isFree) &&
      [...this.#meetings].every(({ readers }) => !readers.includes(reader))
    )
  }
}

/** A record that is accepted as a dead letter is so for its own rollup alone. */
function isFree(cursor: ShardCursor): boolean {
  return cursor.status === 'reading' && cursor.acceptedErrorOffset < cursor.next
}

/** Equal for readers of the same shards. */
function groupOf({ ingest }: MeetingReader): string {
  return ingest.cursors
    .map(({ key }) => key)
    .toSorted()
    .join(' ')
}

/** The furthest one, and those behind it that have not far to go; then of the others. */
function findNear<Reader extends MeetingReader>(readers: readonly Reader[]): Reader[][] {
  const [first, ...behind] = readers.toSorted((left, right) => positionOf(right) - positionOf(left))
  if (first === undefined) return []
  const near = [first]
  const others: Reader[] = []
  for (const reader of behind) {
    const wider = [...near, reader]
    if (areNear(wider, new MeetingPoint(wider.map(({ ingest }) => ingest.cursors)))) near.push(reader)
    else others.push(reader)
  }
  return near.length > 1 ? [near, ...findNear(others)] : findNear(others)
}

function boundsOf(readers: readonly MeetingReader[]): (typeof BOUNDS)[keyof typeof BOUNDS] {
  const hasCaughtUp = readers.some(({ ingest }) => ingest.cursors.every(({ isAtEnd }) => isAtEnd))
  return hasCaughtUp ? BOUNDS.caughtUp : BOUNDS.catchingUp
}

function positionOf({ ingest }: MeetingReader): number {
  return ingest.cursors.reduce((sum, { next }) => sum + next, 0)
}

/** What they have to go together, and how many rollups would be read as one. */
function areNear(readers: readonly MeetingReader[], point: MeetingPoint): boolean {
  const records = readers.reduce((sum, { ingest }) => sum + point.distanceOf(ingest.cursors), 0)
  const rollups = readers.reduce((sum, { halves }) => sum + halves.length, 0)
  return records <= boundsOf(readers).records && rollups <= ROLLUPS_MAX
}
