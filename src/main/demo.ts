/** The demo: a service over the embedded log in a folder of its own, sample events, an example rollup, and its answer. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ApiClient } from '../cli/api-client.ts'
import { breakStatement } from '../cli/break-statement.ts'
import { COMMAND_NAME } from '../cli/command-name.ts'
import { computeExpectedRows, type DemoRecord, DemoStream, type ExpectedRow } from '../cli/demo-events.ts'
import { readResult } from '../cli/exact-rows.ts'
import { indent } from '../cli/indent.ts'
import { formatTable } from '../cli/text-table.ts'
import { loadConfig } from '../config.ts'
import { RollupdError } from '../core/errors.ts'
import type { RollupAnswer } from '../service/rollup-answer.ts'
import { startService } from './service.ts'

const RECORDS = 20_000
const TOPIC = 'pageviews'
const ROLLUP = 'pageviews_minute'
const QUERY = `SELECT * FROM ${ROLLUP} ORDER BY minute, country`
const COARSER_QUERY = `SELECT country, MEASURE(views), MEASURE(avg_latency), MEASURE(my_crazy_metric) FROM ${ROLLUP} GROUP BY country ORDER BY views DESC`
/** How often new records come and the answer is looked at again, and how many come. */
const REFRESH_MS = 1000
const RECORDS_PER_REFRESH = 200
const ROWS_SHOWN = 12

export interface DemoOptions {
  /** Check the answer against the raw events and end. */
  readonly once: boolean
  readonly listen: string | undefined
  readonly write: (text: string) => void
}

/** Returns the exit code: 0 when the answer was right. */
export async function runDemo({ once, listen, write }: DemoOptions): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'rollupd-demo-'))
  const config = loadConfig({ flags: { data, listen: listen ?? '127.0.0.1:0', logLevel: 'warn' }, environment: {} })
  const service = await startService(config)
  const stop = async () => {
    await service.stop()
    rmSync(data, { recursive: true, force: true })
  }
  try {
    const client = new ApiClient({ url: service.url, token: undefined })
    const sql = readFileSync(new URL('../../sql/pageviews.sql', import.meta.url), 'utf8')
    write(
      `The embedded log and the leaf are in ${data} and go when the demo ends. The statement, sql/pageviews.sql:\n\n${indent(sql.trim())}\n`,
    )
    await client.call('POST', '/v1/topics', { topic: TOPIC, partitions: 2 })
    const rollup = await client.callJson<RollupAnswer>('POST', '/v1/rollups', {
      name: ROLLUP,
      sql,
      source: { topic: TOPIC },
    })
    write(`Its ingest half runs on every record:\n\n${indent(breakStatement(rollup.ingest_sql))}\n`)
    write(`Its wrap half runs at read time:\n\n${indent(breakStatement(rollup.wrap_sql))}\n`)

    const stream = new DemoStream()
    const records = stream.take(RECORDS)
    const startedAtMs = performance.now()
    const next = await produce(client, records)
    const answer = await query(client, next)
    const elapsedMs = performance.now() - startedAtMs
    const isRight = isDeepStrictEqual(answer.rows, computeExpectedRows(records))
    const { counts } = await client.callJson<RollupAnswer>('GET', `/v1/rollups/${ROLLUP}`)
    write(
      `${RECORDS} events, late, out-of-order and broken ones among them, produced and read back in ${(elapsedMs / 1000).toFixed(1)} s:`,
    )
    write(`${counts.aggregated} aggregated, ${counts.filtered} filtered by WHERE, ${counts.dead} dead letters.\n`)
    write(`The answer of ${QUERY}\n`)
    write(showRows(answer.text))
    write(
      isRight
        ? '\nThe answer equals what the demo computed from the raw events.'
        : '\nThe answer DIFFERS from what the demo computed from the raw events.',
    )
    if (once || !isRight) return isRight ? 0 : 1
    write(describeNext(service.url))
    await produceUntilStopped(client, stream, service.stopped)
    return 0
  } finally {
    await stop()
  }
}

async function produce(client: ApiClient, records: readonly DemoRecord[]): Promise<Record<string, number>> {
  const next: Record<string, number> = {}
  // in turn, as a producer without keys would
  for (const partition of [0, 1]) {
    const lines = records.filter((_, index) => index % 2 === partition).map(({ value }) => value)
    const body = Buffer.from(`${lines.join('\n')}\n`)
    const answer = JSON.parse(await client.postLines(`/v1/topics/${TOPIC}/records?partition=${partition}`, body)) as {
      offsets: Record<string, { next: number }>
    }
    for (const [key, range] of Object.entries(answer.offsets)) next[key] = range.next
  }
  return next
}

async function query(client: ApiClient, next: Record<string, number>): Promise<{ text: string; rows: ExpectedRow[] }> {
  const text = await client.call('POST', '/v1/query', { sql: QUERY, at_least: { [TOPIC]: next }, timeout_ms: 30_000 })
  const { rows } = JSON.parse(text) as { rows: ExpectedRow[] }
  return { text, rows }
}

function showRows(text: string): string {
  const { columns, rows } = readResult(text)
  const before = rows.length > ROWS_SHOWN ? `The last ${ROWS_SHOWN} of ${rows.length} rows:\n\n` : ''
  return before + formatTable(columns, rows.slice(-ROWS_SHOWN))
}

function describeNext(url: string): string {
  return `
rollupd answers at ${url}, and ${RECORDS_PER_REFRESH} new events arrive each second. Try in another terminal:

  ${COMMAND_NAME} query "${COARSER_QUERY}" --url ${url}
  ${COMMAND_NAME} show ${ROLLUP} --url ${url}
  ${COMMAND_NAME} dead-letters ${ROLLUP} --url ${url}
  curl ${url}/v1/query -H 'content-type: application/json' -d '{"sql":"SELECT * FROM ${ROLLUP}"}'

The whole interface: ${url}/docs. Ctrl-C ends the demo.
`
}

async function produceUntilStopped(client: ApiClient, stream: DemoStream, stopped: Promise<void>): Promise<void> {
  let isStopped = false
  let records = RECORDS
  void stopped.then(() => {
    isStopped = true
  })
  for (;;) {
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, REFRESH_MS))])
    if (isStopped) return
    try {
      const next = await produce(client, stream.take(RECORDS_PER_REFRESH))
      const sentMs = performance.now()
      await query(client, next)
      records += RECORDS_PER_REFRESH
      const elapsedMs = Math.round(performance.now() - sentMs)
      if (process.stdout.isTTY)
        process.stdout.write(`\r${records} events, the last ones in the answer after ${elapsedMs} ms   `)
    } catch (error) {
      // the service may stop between two of them
      if (error instanceof RollupdError && error.kind.retryable) return
      throw error
    }
  }
}
