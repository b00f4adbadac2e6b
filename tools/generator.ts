/**
 * The generator of ./dev up: deterministic page views at a steady rate, into rollupd over HTTP or straight into Kafka. It
 * goes on where the topic's records end, so that a topic holds one sequence whatever number of runs wrote it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PageViews } from '../bench/support/page-views.ts'
import { openKafkaTarget } from './generator-kafka.ts'

/** Twenty batches a second: smooth to look at, cheap to send. */
const BATCH_INTERVAL_MS = 50
/** A target that was away isn't flooded afterwards: what is further behind than this is left out of the schedule. */
const BEHIND_MAX_MS = 1_000
const RETRY_MS = 1_000
/** How long a request on its way is waited for when asked to stop. */
const STOP_GRACE_MS = 1_000
const REQUEST_TIMEOUT_MS = 30_000
const RECORDS_PER_BATCH_MAX = 10_000

/** Where the records go. */
export interface GeneratorTarget {
  /** Makes the topic where there is none. Caller gets the number of records that it holds or held. */
  open(topic: string, partitions: number): Promise<number>
  /** Returns when the records are stored. */
  send(topic: string, values: readonly string[]): Promise<void>
}

interface TopicAnswer {
  readonly topic: string
  readonly partitions: readonly { readonly end_offset: number }[]
}

function openHttpTarget(url: string): GeneratorTarget {
  const token = process.env['ROLLUPD_TOKEN']
  const call = async (method: string, path: string, contentType: string, body?: string): Promise<unknown> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  return {
    async open(topic, partitions) {
      const { topics } = (await call('GET', '/v1/topics', 'application/json')) as { topics: readonly TopicAnswer[] }
      const found = topics.find((candidate) => candidate.topic === topic)
      if (found === undefined)
        await call('POST', '/v1/topics', 'application/json', JSON.stringify({ topic, partitions }))
      return (found?.partitions ?? []).reduce((sum, partition) => sum + partition.end_offset, 0)
    },
    async send(topic, values) {
      const path = `/v1/topics/${encodeURIComponent(topic)}/records`
      await call('POST', path, 'application/x-ndjson', `${values.join('\n')}\n`)
    },
  }
}

interface Plan {
  readonly topic: string
  readonly partitions: number
  readonly recordsPerSecond: number
  /** 0: without end. */
  readonly records: number
  readonly seed: number
}

async function produce(target: GeneratorTarget, plan: Plan, stopping: AbortSignal): Promise<number> {
  const events = new PageViews(plan.seed)
  const alreadyThere = await target.open(plan.topic, plan.partitions)
  for (let skipped = 0; skipped < alreadyThere; skipped++) events.next()
  const recordsMax = plan.records === 0 ? Infinity : plan.records
  let sent = 0
  let due = plan.recordsPerSecond * (BATCH_INTERVAL_MS / 1000)
  let lastMs = performance.now()
  while (sent < recordsMax && !stopping.aborted) {
    const count = Math.min(Math.floor(due), recordsMax - sent, RECORDS_PER_BATCH_MAX)
    if (count > 0) {
      await sendUntilStored(
        target,
        plan.topic,
        Array.from({ length: count }, () => JSON.stringify(events.next())),
        stopping,
      )
      if (sent === 0) process.stdout.write(`producing to ${plan.topic}, from record ${alreadyThere} on\n`)
      sent += count
      due -= count
    }
    if (due < RECORDS_PER_BATCH_MAX) await delay(BATCH_INTERVAL_MS, undefined, { signal: stopping }).catch(() => {})
    const nowMs = performance.now()
    due = Math.min(
      due + ((nowMs - lastMs) / 1000) * plan.recordsPerSecond,
      (BEHIND_MAX_MS / 1000) * plan.recordsPerSecond,
    )
    lastMs = nowMs
  }
  return sent
}

/** Tries again while the target is away: at least once, as producers do. */
async function sendUntilStored(
  target: GeneratorTarget,
  topic: string,
  values: readonly string[],
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      await target.send(topic, values)
      return
    } catch (error) {
      process.stderr.write(`trying again: ${(error as Error).message}\n`)
      await delay(RETRY_MS, undefined, { signal: stopping }).catch(() => {})
    }
  }
}

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8090' },
    kafka: { type: 'string' },
    topic: { type: 'string', default: 'page_views' },
    partitions: { type: 'string', default: '4' },
    'records-per-second': { type: 'string', default: '1000' },
    records: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    stop.abort()
    // a target that is away keeps a request hanging
    setTimeout(() => process.exit(0), STOP_GRACE_MS).unref()
  })
}
const target = flags.kafka === undefined ? openHttpTarget(flags.url) : openKafkaTarget(flags.kafka)
const sent = await produce(
  target,
  {
    topic: flags.topic,
    partitions: Number(flags.partitions),
    recordsPerSecond: Number(flags['records-per-second']),
    records: Number(flags.records),
    seed: Number(flags.seed),
  },
  stop.signal,
)
process.stdout.write(`sent ${sent} records\n`)
process.exit(0)
