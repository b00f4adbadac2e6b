/** Owns the identity of a shard and what is counted on it. */

/** Kafka's topic UUID as its 22 characters of URL-safe base64, for the embedded log too: a topic made again is another one. */
export type TopicId = string & { readonly __brand: 'TopicId' }

export function toTopicId(text: string): TopicId {
  return text as TopicId
}

/** The unit of reading: its sequence numbers are Kafka's offsets. */
export interface Shard {
  readonly topicId: TopicId
  readonly partition: number
}

/** A shard as the key of a Map. */
export function toShardKey(shard: Shard): string {
  return `${shard.topicId}/${shard.partition}`
}

/** Where each offset of a range went (law 6). Their sum is next - first; each is counted while walking, none by subtraction. */
export const CONSERVED_COUNTS = [
  'aggregated',
  'filtered',
  'dead',
  'tombstones',
  'markers',
  'aborted',
  'holes',
  'lost',
  'expired',
] as const

/** All counters of a shard: the conserved ones, and three outside their sum. `unnested`: rows that UNNEST made of aggregated records. */
export const COUNT_NAMES = [...CONSERVED_COUNTS, 'kind_mismatch', 'dead_letters_dropped', 'unnested'] as const

export type CountName = (typeof COUNT_NAMES)[number]
export type Counts = Record<CountName, number>

export function zeroCounts(): Counts {
  return {
    aggregated: 0,
    filtered: 0,
    dead: 0,
    tombstones: 0,
    markers: 0,
    aborted: 0,
    holes: 0,
    lost: 0,
    expired: 0,
    kind_mismatch: 0,
    dead_letters_dropped: 0,
    unnested: 0,
  }
}

export function addCounts(into: Counts, more: Readonly<Counts>): void {
  for (const name of COUNT_NAMES) into[name] += more[name]
}

/** Sum of the conserved counters: must equal the offsets passed. */
export function sumConserved(counts: Readonly<Counts>): number {
  let sum = 0
  for (const name of CONSERVED_COUNTS) sum += counts[name]
  return sum
}

/** Why a shard or rollup stands still (the contract's reason codes). */
export const HALT_CODES = [
  'recreated',
  'lost',
  'truncated',
  'corrupt',
  'codec',
  'disk_full',
  'record_error',
  'broker_away',
  'unknown_topic',
] as const
export type HaltCode = (typeof HALT_CODES)[number]

export interface HaltReason {
  readonly code: HaltCode
  /** One line that says what happened and what a person can do. */
  readonly message: string
  /** Where reading would go on once the loss is accepted: an offset of the same shard. Stored with the halt, not shown. */
  readonly goOnAt?: number
}
