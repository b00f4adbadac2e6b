/** Owns the commands that talk to a running rollupd. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { RollupdError } from '../core/errors.ts'
import type { RollupAnswer } from '../service/rollup-answer.ts'
import { ApiClient } from './api-client.ts'
import { readResult } from './exact-rows.ts'
import { produceLines } from './produce-lines.ts'
import { formatTable } from './text-table.ts'

interface ClientFlags {
  readonly url: string
  readonly json?: boolean
}

export interface Output {
  write(text: string): void
}

export function addClientCommands(program: Command, output: Output): void {
  const command = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option(
        '--url <url>',
        'address of the service (ROLLUPD_URL)',
        process.env['ROLLUPD_URL'] ?? 'http://127.0.0.1:8090',
      )
      .option('--json', 'print the answer as JSON, for scripts')

  command('create', 'create a rollup from a file with its statement')
    .argument('<name>', 'name of the rollup')
    .argument('<file>', 'file with one SQL statement')
    .requiredOption('--topic <topic>', 'topic that it reads')
    .option('--start <start>', 'earliest, latest, or an ISO 8601 time', 'earliest')
    .option('--on-error <policy>', 'dead_letter, null or halt')
    .option('--on-loss <policy>', 'halt or accept')
    .action(async (name: string, file: string, flags: ClientFlags & Record<string, string | undefined>) => {
      const start = flags['start']
      const rollup = await clientOf(flags).call('POST', '/v1/rollups', {
        name,
        sql: readStatement(file),
        source: {
          topic: flags['topic'],
          start: start === 'earliest' || start === 'latest' ? start : { timestamp: start },
        },
        ...(flags['onError'] === undefined ? {} : { on_error: flags['onError'] }),
        ...(flags['onLoss'] === undefined ? {} : { on_loss: flags['onLoss'] }),
      })
      output.write(flags.json === true ? rollup : describeRollup(JSON.parse(rollup) as RollupAnswer))
    })

  command('list', 'list the rollups').action(async (flags: ClientFlags) => {
    const text = await clientOf(flags).call('GET', '/v1/rollups')
    if (flags.json === true) return output.write(text)
    const { rollups } = JSON.parse(text) as { rollups: RollupAnswer[] }
    output.write(
      formatTable(
        ['NAME', 'TOPIC', 'STATUS', 'GROUPS', 'RECORDS', 'LAG'],
        rollups.map((rollup) => [
          rollup.name,
          rollup.source.topic,
          rollup.reason === undefined ? rollup.status : `${rollup.status} (${rollup.reason.code})`,
          String(rollup.groups),
          String(rollup.counts.aggregated),
          sumLag(rollup),
        ]),
      ),
    )
  })

  command('show', 'show a rollup: its halves, its shards, its counters')
    .argument('<name>')
    .action(async (name: string, flags: ClientFlags) => {
      const text = await clientOf(flags).call('GET', `/v1/rollups/${encodeURIComponent(name)}`)
      output.write(flags.json === true ? text : describeRollup(JSON.parse(text) as RollupAnswer))
    })

  command('query', 'run one SELECT over rollups')
    .argument('<sql>')
    .option('--limit <rows>', 'at most so many rows')
    .option('--timeout <ms>', 'give up after so many milliseconds')
    .action(async (sql: string, flags: ClientFlags & { limit?: string; timeout?: string }) => {
      const text = await clientOf(flags).call('POST', '/v1/query', {
        sql,
        ...(flags.limit === undefined ? {} : { limit: toNumber('--limit', flags.limit) }),
        ...(flags.timeout === undefined ? {} : { timeout_ms: toNumber('--timeout', flags.timeout) }),
      })
      if (flags.json === true) return output.write(text)
      const result = readResult(text)
      output.write(formatTable(result.columns, result.rows))
      for (const warning of result.warnings) output.write(`warning: ${warning}`)
      if (result.truncated) output.write(`warning: only the first ${result.rows.length} rows; see --limit`)
    })

  command('pause', 'read no more until resumed').argument('<name>').action(changeStatus('pause'))
  command('resume', 'go on reading, also past what --accept names')
    .argument('<name>')
    .option('--accept <codes>', 'codes to go on past, separated by commas: lost,corrupt,truncated,recreated,record_error')
    .action(changeStatus('resume'))

  function changeStatus(verb: 'pause' | 'resume') {
    return async (name: string, flags: ClientFlags & { accept?: string }) => {
      const body =
        flags.accept === undefined ? undefined : { accept: flags.accept.split(',').map((code) => code.trim()) }
      const text = await clientOf(flags).call('POST', `/v1/rollups/${encodeURIComponent(name)}/${verb}`, body)
      output.write(flags.json === true ? text : describeRollup(JSON.parse(text) as RollupAnswer))
    }
  }

  command('drop', 'drop a rollup with its states')
    .argument('<name>')
    .action(async (name: string, flags: ClientFlags) => {
      await clientOf(flags).call('DELETE', `/v1/rollups/${encodeURIComponent(name)}`)
      output.write(flags.json === true ? JSON.stringify({ dropped: name }) : `dropped ${name}`)
    })

  command('dead-letters', 'list the records that could not be evaluated')
    .argument('<name>')
    .action(async (name: string, flags: ClientFlags) => {
      const text = await clientOf(flags).call('GET', `/v1/rollups/${encodeURIComponent(name)}/dead-letters`)
      if (flags.json === true) return output.write(text)
      const { dead_letters } = JSON.parse(text) as {
        dead_letters: { partition: number; offset: number; code: string; reason: string; value?: string }[]
      }
      output.write(
        formatTable(
          ['PARTITION', 'OFFSET', 'CODE', 'REASON', 'VALUE'],
          dead_letters.map((letter) => [
            String(letter.partition),
            String(letter.offset),
            letter.code,
            letter.reason,
            (letter.value ?? '(binary)').slice(0, 60),
          ]),
        ),
      )
    })

  command('produce', 'append records: a line of NDJSON is one value')
    .argument('<topic>')
    .argument('[file]', 'file to read; standard input without one')
    .option('--create <partitions>', 'create the topic with so many partitions if it does not exist')
    .action(async (topic: string, file: string | undefined, flags: ClientFlags & { create?: string }) => {
      const client = clientOf(flags)
      if (flags.create !== undefined) await createTopic(client, topic, toNumber('--create', flags.create))
      const produced = await produceLines(client, topic, file)
      output.write(flags.json === true ? JSON.stringify(produced) : `${produced.records} records appended to ${topic}`)
    })
}

async function createTopic(client: ApiClient, topic: string, partitions: number): Promise<void> {
  try {
    await client.call('POST', '/v1/topics', { topic, partitions })
  } catch (error) {
    if (!(error instanceof RollupdError) || error.code !== 'already_exists') throw error
  }
}

function clientOf(flags: ClientFlags): ApiClient {
  return new ApiClient({ url: flags.url, token: process.env['ROLLUPD_TOKEN'] })
}

/** Errors: bad_request naming the file. */
export function readStatement(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().replace(/;\s*$/, '')
  } catch (cause) {
    throw new RollupdError('bad_request', `statement file "${file}" can't be read: ${(cause as Error).message}`, {
      cause,
    })
  }
}

function toNumber(flag: string, text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new RollupdError('bad_request', `${flag} takes a whole number, not "${text}"`)
}

function sumLag({ shards }: RollupAnswer): string {
  const lags = shards.map(({ lag }) => lag)
  return lags.includes(null) ? '?' : String(lags.reduce<number>((sum, lag) => sum + (lag ?? 0), 0))
}

function describeRollup(rollup: RollupAnswer): string {
  const { counts } = rollup
  const lines = [
    `${rollup.name} reads ${rollup.source.topic}: ${rollup.status}`,
    ...(rollup.reason === undefined ? [] : [`  ${rollup.reason.code}: ${rollup.reason.message}`]),
    ...rollup.warnings.map((warning) => `  warning: ${warning}`),
    '',
    'ingest half, on every record:',
    indent(rollup.ingest_sql),
    'wrap half, at read time:',
    indent(rollup.wrap_sql),
    '',
    `groups ${rollup.groups}, bytes ${rollup.bytes}`,
    `records: ${Object.entries(counts)
      .filter(([name, count]) => count > 0 || name === 'aggregated')
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
    '',
    formatTable(
      ['PARTITION', 'STATUS', 'START', 'NEXT', 'LAG'],
      rollup.shards.map((shard) => [
        String(shard.partition),
        shard.reason === undefined ? shard.status : `${shard.status} (${shard.reason.code})`,
        String(shard.start_offset),
        String(shard.next_offset),
        shard.lag === null ? '?' : String(shard.lag),
      ]),
    ),
  ]
  return lines.join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
