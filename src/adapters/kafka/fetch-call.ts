/**
 * Owns one call of a reader's fetch(). Each broker has at most one long poll in flight, and the first broker with something
 * ends the wait for all; the other polls stay in flight and are met again by the next call. So neither an idle nor a frozen
 * broker holds up a busy one.
 */
import { toShardKey } from '../../core/shard.ts'
import { toErrorAnswer } from '../../tailer/error-answer.ts'
import type { FetchAnswer, FetchOptions, FetchRequest } from '../../tailer/record-source.ts'
import type { FetchLane, RoutedRequest } from './fetch-lane.ts'
import type { TopicRoutes } from './topic-routes.ts'

/** Where nothing but passing errors can be answered, the answer waits this long at least: a caller in a loop must not spin. */
const PASSING_ERROR_WAIT_MS = 50
/** The broker's "nothing new" comes this much after its wait: meeting it keeps the poll from being left behind. */
const POLL_GRACE_MS = 30

export interface LaneTable {
  /** The polls at a broker; undefined where no such broker is known. */
  findLane(nodeId: number): FetchLane | undefined
  /** Earlier answers without bytes, by shard key. */
  readonly latest: ReadonlyMap<string, FetchAnswer>
}

interface CallParts {
  readonly routes: TopicRoutes
  readonly now: () => number
}

/** Nothing that the caller has to act upon: it only asks again. */
function isIdle(answer: FetchAnswer): boolean {
  return answer.error === undefined ? answer.bytes.length === 0 : answer.error.code === 'broker_away'
}

export class FetchCall {
  readonly #routes: TopicRoutes
  readonly #now: () => number
  readonly #table: LaneTable
  readonly #requests: readonly FetchRequest[]
  readonly #options: FetchOptions
  readonly #deadlineMs: number
  readonly #answers = new Map<string, FetchAnswer>()
  /** Lanes that this call waits for or has heard, with the requests that are theirs. */
  readonly #asked = new Map<FetchLane, RoutedRequest[]>()
  /** Lanes whose poll was sent by this call: its answers are the last word. */
  readonly #started = new Set<FetchLane>()
  readonly #placed = new Set<FetchRequest>()
  #refreshing: Promise<void> | undefined
  #refreshFailure: string | undefined

  constructor(parts: CallParts, table: LaneTable, requests: readonly FetchRequest[], options: FetchOptions) {
    this.#routes = parts.routes
    this.#now = parts.now
    this.#table = table
    this.#requests = requests
    this.#options = options
    this.#deadlineMs = parts.now() + options.maxWaitMs + POLL_GRACE_MS
  }

  /** Ends when there is something to answer, nothing more to wait for, or the signal says so. Never fails. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#ask()
      this.#hear()
      const waits = [...this.#asked.keys()].flatMap((lane) => lane.pending ?? [])
      if (this.#refreshing !== undefined) waits.push(this.#refreshing)
      if (this.#hasNews()) return
      const leftMs = this.#deadlineMs - this.#now()
      if (waits.length === 0) return this.#pause(leftMs, signal)
      if (leftMs <= 0 && !this.#isFirstAnswerPending()) return
      await waitForAny(waits, leftMs > 0 ? leftMs : undefined, signal)
    }
  }

  /** One answer for each request, in their order. */
  collect(): FetchAnswer[] {
    return this.#requests.map((request) => {
      const key = toShardKey(request.shard)
      const answer = this.#answers.get(key) ?? this.#table.latest.get(key)
      if (answer !== undefined) return answer
      const route = this.#routes.find(request.topic, request.shard)
      return route.kind === 'leader'
        ? toErrorAnswer(request.shard, 'stale_leader', `no answer of broker ${route.nodeId} yet`)
        : toErrorAnswer(request.shard, route.code, route.message)
    })
  }

  /** Finds each open request's leader, and starts polls where none is in flight. */
  #ask(): void {
    const unsettled = new Set<string>()
    const groups = new Map<FetchLane, RoutedRequest[]>()
    for (const request of this.#requests) {
      const key = toShardKey(request.shard)
      if (this.#answers.has(key) || this.#placed.has(request)) continue
      const route = this.#routes.find(request.topic, request.shard)
      const lane = route.kind === 'leader' ? this.#table.findLane(route.nodeId) : undefined
      if (route.kind === 'error') {
        this.#answers.set(key, toErrorAnswer(request.shard, route.code, route.message))
      } else if (route.kind === 'leader' && lane !== undefined) {
        const group = groups.get(lane)
        this.#placed.add(request)
        const routed = { request, leaderEpoch: route.leaderEpoch }
        if (group === undefined) groups.set(lane, [routed])
        else group.push(routed)
      } else if (this.#refreshFailure === undefined) {
        unsettled.add(request.topic)
      } else {
        this.#answers.set(key, toErrorAnswer(request.shard, 'broker_away', this.#refreshFailure))
      }
    }
    for (const [lane, group] of groups) this.#asked.set(lane, [...(this.#asked.get(lane) ?? []), ...group])
    if (unsettled.size > 0) this.#refresh(unsettled)
  }

  /** Takes the answers of polls that have ended, and starts polls where none is in flight. */
  #hear(): void {
    for (const [lane, group] of this.#asked) {
      if (lane.pending !== undefined) continue
      const isOurs = this.#started.has(lane)
      let hasNews = false
      for (const { request } of group) {
        const key = toShardKey(request.shard)
        const answer = lane.findAnswer(request)
        // A poll of an earlier call that has ended without news is repeated.
        if (answer === undefined || (!isOurs && isIdle(answer))) continue
        hasNews = true
        this.#answers.set(key, answer)
        lane.forgetAnswer(request)
        if (answer.error !== undefined && answer.error.code !== 'out_of_range') this.#routes.markStale(request.topic)
      }
      // With news of an earlier poll the caller comes back at once: a poll sent now would lack the shards that have news, and
      // hold them up.
      if (!isOurs && !hasNews) this.#startPoll(lane, group)
    }
  }

  #startPoll(lane: FetchLane, group: readonly RoutedRequest[]): void {
    const bytes = group.reduce((sum, { request }) => sum + request.maxBytes, 0)
    const share = Math.floor((this.#options.maxBytes ?? bytes) / this.#asked.size)
    const leftMs = Math.max(0, this.#deadlineMs - POLL_GRACE_MS - this.#now())
    this.#started.add(lane)
    lane.start(group, leftMs, Math.min(bytes, Math.max(1, share)))
  }

  #refresh(topics: ReadonlySet<string>): void {
    this.#refreshing ??= this.#routes
      .refresh(topics)
      .catch((error: unknown) => {
        this.#refreshFailure = error instanceof Error ? error.message : String(error)
      })
      .finally(() => (this.#refreshing = undefined))
  }

  #hasNews(): boolean {
    for (const answer of this.#answers.values()) if (!isIdle(answer)) return true
    return false
  }

  /** A shard that was never answered has no watermark to be told: for it the wait goes on until its poll ends. */
  #isFirstAnswerPending(): boolean {
    for (const [lane, group] of this.#asked) {
      if (lane.pending === undefined) continue
      const isFirst = ({ request }: RoutedRequest) =>
        lane.isAsking(request) && !this.#table.latest.has(toShardKey(request.shard))
      if (group.some(isFirst)) return true
    }
    return false
  }

  async #pause(leftMs: number, signal: AbortSignal): Promise<void> {
    const failed = [...this.#answers.values()].some((answer) => answer.error !== undefined)
    if (!failed) return
    const backOffMs = Math.max(PASSING_ERROR_WAIT_MS, ...[...this.#asked.keys()].map((lane) => lane.backOffMs))
    await waitForAny([], Math.min(backOffMs, leftMs), signal)
  }
}

/** Ends with the first of the promises, which never fail, the time or the signal. */
async function waitForAny(
  promises: readonly Promise<void>[],
  timeMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const timer = timeMs === undefined ? undefined : setTimeout(end, Math.max(0, timeMs))
  signal.addEventListener('abort', end, { once: true })
  for (const each of promises) void each.then(end)
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}
