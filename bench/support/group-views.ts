/** Owns page views that fill a rollup with a wanted number of groups: one new group each, minute after minute. */
import type { EventSource } from './fill-topic.ts'
import { FIRST_EVENT_MS } from './page-views.ts'

const MINUTE_MS = 60_000
const COUNTRIES = ['US', 'DE', 'FR', 'IN', 'BR', 'GB', 'JP', 'KE', 'ZA', 'MX'] as const
/** Odd, so that multiples of it go through all numbers below a power of two: users in no order. */
const USER_STEP = 2_654_435_761
/** The beginning of the first minute. */
export const FIRST_MINUTE_MS = Math.floor(FIRST_EVENT_MS / MINUTE_MS) * MINUTE_MS

export interface GroupViewOptions {
  /** Multiple of ten: ten countries, and paths. */
  readonly groupsPerMinute: number
  /** Index of the first group. Default: 0. */
  readonly first?: number
}

/** The group with the index i: of minute i / groupsPerMinute, with a country and a path of its own in it. */
export function groupViews({ groupsPerMinute, first = 0 }: GroupViewOptions): EventSource {
  let index = first
  return () => {
    const event = groupView(index, groupsPerMinute)
    index++
    return event
  }
}

/** One view of the group with that index. */
export function groupView(index: number, groupsPerMinute: number): { json: string; timestampMs: number } {
  const timestampMs = minuteOfGroup(index, groupsPerMinute)
  const within = index % groupsPerMinute
  const user = Math.imul(index, USER_STEP) >>> 0
  const json =
    `{"id":"e${index}","ts":"${minuteText(timestampMs)}","user_id":${user},"country":"${COUNTRIES[within % COUNTRIES.length]}",` +
    `"path":"/page/${Math.floor(within / COUNTRIES.length)}","device":{"os":"ios","ver":"17.3"},"latency_ms":${(index % 100_000) / 100},"bytes":${user % 100_000},"ok":true}`
  return { json, timestampMs }
}

function minuteOfGroup(index: number, groupsPerMinute: number): number {
  return FIRST_MINUTE_MS + Math.floor(index / groupsPerMinute) * MINUTE_MS
}

let [lastMs, lastText] = [Number.NaN, '']
/** Kept: a minute has many groups in a row. */
function minuteText(timestampMs: number): string {
  if (timestampMs !== lastMs) [lastMs, lastText] = [timestampMs, new Date(timestampMs).toISOString()]
  return lastText
}
