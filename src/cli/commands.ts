/** Owns the commands that talk to a running rollupd. */
import { type Command, Option } from 'commander'
import { RollupdError } from '../core/errors.ts'
import type { RollupAnswer } from '../service/rollup-answer.ts'
import type { ApiClient } from './api-client.ts'
import { type AddCommand, type ClientFlags, clientOf, type Output, toNumber, toStart } from './client-command.ts'
import { COMMAND_NAME } from './command-name.ts'
import { type DeadLetters, describeDeadLetters } from './describe-dead-letters.ts'
import { describeCreated, describeRollup, describeRollups, describeStatus } from './describe-rollup.ts'
import { readResult } from './exact-rows.ts'
import { produceLines } from './produce-lines.ts'
import { addPreview } from './preview-command.ts'
import { readArgument, readStatement, showingPlace } from './statement-source.ts'
import { formatTable } from './text-table.ts'
import { addViews } from './view-commands.ts'

export function addClientCommands(program: Command, output: Output): void {
  const add: AddCommand = (name, description, example) => {
    const command = program
      .command(name)
      .description(description)
      .option(
        '--url <url>',
        'address of the service (ROLLUPD_URL)',
        process.env['ROLLUPD_URL'] || 'http://127.0.0.1:8090',
      )
      .option('--json', 'print the answer as JSON, for scripts')
      .showHelpAfterError(`("${COMMAND_NAME} ${name} --help" tells more)`)
    return example === undefined ? command : command.addHelpText('after', `\nExample:\n  ${COMMAND_NAME} ${example}`)
  }
  addCreate(add, output)
  addPreview(add, output)
  addLooks(add, output)
  addQuery(add, output)
  addViews(add, output)
  addChanges(add, output)
  addDeadLetters(add, output)
  addTopics(add, output)
}

interface CreateFlags extends ClientFlags {
  readonly topic?: string
  readonly rollup?: string
  readonly start?: string
  readonly onError?: string
  readonly onLoss?: string
}

/** Errors: bad_request for both or neither, and for a start without a topic. */
function toSource({ topic, rollup, start }: CreateFlags): object {
  if ((topic === undefined) === (rollup === undefined) || (rollup !== undefined && start !== undefined)) {
    throw new RollupdError('bad_request', 'a rollup reads a topic or another rollup', {
      hint: 'Give --topic, with --start if you like, or --rollup.',
    })
  }
  return topic === undefined ? { rollup } : { topic, start: toStart(start ?? 'earliest') }
}

function addCreate(add: AddCommand, output: Output): void {
  add('create', 'create a rollup from a file with its statement', 'create orders sql/orders.sql --topic orders')
    .argument('<name>', 'name of the rollup; queries call it so')
    .argument('<file>', 'file with one SQL statement; - is standard input')
    .option('--topic <topic>', 'topic that it reads')
    .option('--rollup <rollup>', 'rollup whose groups it reads, instead of a topic')
    .option('--start <start>', 'earliest (default), latest, or an ISO 8601 time')
    .addOption(
      new Option('--on-error <policy>', 'for a record that can not be evaluated').choices([
        'dead_letter',
        'null',
        'halt',
      ]),
    )
    .addOption(new Option('--on-loss <policy>', 'for records that the log has no more').choices(['halt', 'accept']))
    .action(async (name: string, file: string, flags: CreateFlags) => {
      const { onError, onLoss } = flags
      const source = readStatement(file)
      const rollup = await showingPlace(source, () =>
        clientOf(flags).call('POST', '/v1/rollups', {
          name,
          sql: source.sql,
          source: toSource(flags),
          on_error: onError,
          on_loss: onLoss,
        }),
      )
      output.write(flags.json === true ? rollup : describeCreated(JSON.parse(rollup) as RollupAnswer))
    })
}

function addLooks(add: AddCommand, output: Output): void {
  add('list', 'list the rollups').action(async (flags: ClientFlags) => {
    const text = await clientOf(flags).call('GET', '/v1/rollups')
    output.write(
      flags.json === true ? text : describeRollups((JSON.parse(text) as { rollups: RollupAnswer[] }).rollups),
    )
  })

  add('show', 'show a rollup: its halves, its shards, its counters', 'show orders')
    .argument('<name>', 'name of the rollup')
    .action(async (name: string, flags: ClientFlags) => {
      const text = await clientOf(flags).call('GET', pathOf(name))
      output.write(flags.json === true ? text : describeRollup(JSON.parse(text) as RollupAnswer))
    })
}

function addQuery(add: AddCommand, output: Output): void {
  add('query', 'run one SELECT over rollups', 'query "SELECT city, MEASURE(revenue) FROM orders GROUP BY city"')
    .argument('<sql>', 'the statement, in quotes; - is standard input')
    .option('--limit <rows>', 'at most so many rows', toNumber)
    .option('--timeout <ms>', 'give up after so many milliseconds', toNumber)
    .showHelpAfterError(`(the statement stands in quotes: ${COMMAND_NAME} query "SELECT ..."; --help tells more)`)
    .action(async (argument: string, flags: ClientFlags & { limit?: number; timeout?: number }) => {
      const source = readArgument(argument)
      if (source.sql === '') throw new RollupdError('bad_request', 'the statement is empty')
      const text = await showingPlace(source, () =>
        clientOf(flags).call('POST', '/v1/query', { sql: source.sql, limit: flags.limit, timeout_ms: flags.timeout }),
      )
      if (flags.json === true) return output.write(text)
      const { columns, rows, warnings, truncated } = readResult(text)
      output.write(formatTable(columns, rows))
      if (rows.length === 0) output.write('(no rows)')
      for (const warning of warnings) output.write(`warning: ${warning}`)
      if (truncated) output.write(`warning: these are only the first ${rows.length} rows; --limit takes more`)
    })
}

function addChanges(add: AddCommand, output: Output): void {
  const change = (verb: 'pause' | 'resume') => async (name: string, flags: ClientFlags & { accept?: string }) => {
    const body = flags.accept === undefined ? undefined : { accept: flags.accept.split(',').map((code) => code.trim()) }
    const text = await clientOf(flags).call('POST', `${pathOf(name)}/${verb}`, body)
    output.write(flags.json === true ? text : describeStatus(JSON.parse(text) as RollupAnswer))
  }
  add('pause', 'read no more until resumed').argument('<name>', 'name of the rollup').action(change('pause'))
  add('resume', 'go on reading, also past what --accept names', 'resume orders --accept lost')
    .argument('<name>', 'name of the rollup')
    .option('--accept <codes>', 'of lost, corrupt, truncated, recreated, record_error, separated by commas')
    .action(change('resume'))
  add('drop', 'drop a rollup with its states')
    .argument('<name>', 'name of the rollup')
    .action(async (name: string, flags: ClientFlags) => {
      await clientOf(flags).call('DELETE', pathOf(name))
      output.write(flags.json === true ? JSON.stringify({ dropped: name }) : `dropped ${name}`)
    })
}

function addDeadLetters(add: AddCommand, output: Output): void {
  add('dead-letters', 'list the records that could not be evaluated', 'dead-letters orders --limit 10')
    .argument('<name>', 'name of the rollup')
    .option('--limit <count>', 'at most so many', toNumber, 100)
    .option('--after <id>', 'those behind that one', toNumber, 0)
    .action(async (name: string, flags: ClientFlags & { limit: number; after: number }) => {
      const path = `${pathOf(name)}/dead-letters?limit=${flags.limit}&after=${flags.after}`
      const text = await clientOf(flags).call('GET', path)
      output.write(flags.json === true ? text : describeDeadLetters(JSON.parse(text) as DeadLetters))
    })
}

function addTopics(add: AddCommand, output: Output): void {
  add('topics', 'list the topics').action(async (flags: ClientFlags) => {
    const text = await clientOf(flags).call('GET', '/v1/topics')
    if (flags.json === true) return output.write(text)
    const { topics } = JSON.parse(text) as {
      topics: { topic: string; partitions: { start_offset: number; end_offset: number }[] }[]
    }
    const offsets = (partitions: { start_offset: number; end_offset: number }[]) =>
      partitions.reduce((sum, { start_offset: start, end_offset: end }) => sum + end - start, 0)
    output.write(
      formatTable(
        ['TOPIC', 'PARTITIONS', 'OFFSETS'],
        topics.map(({ topic, partitions }) => [topic, String(partitions.length), String(offsets(partitions))]),
      ),
    )
  })

  add('produce', 'append records: a line of NDJSON is one value', 'produce orders orders.ndjson --create 4')
    .argument('<topic>', 'topic to append to')
    .argument('[file]', 'file to read; standard input without one')
    .option('--create <partitions>', 'create the topic with so many partitions if it does not exist', toNumber)
    .action(async (topic: string, file: string | undefined, flags: ClientFlags & { create?: number }) => {
      const client = clientOf(flags)
      if (flags.create !== undefined) await createTopic(client, topic, flags.create)
      const produced = await produceLines(client, topic, file).catch((error: unknown) => {
        throw sayingCreate(error)
      })
      const records = produced.records === 1 ? '1 record' : `${produced.records} records`
      output.write(flags.json === true ? JSON.stringify(produced) : `${records} appended to ${topic}`)
    })
}

async function createTopic(client: ApiClient, topic: string, partitions: number): Promise<void> {
  try {
    await client.call('POST', '/v1/topics', { topic, partitions })
  } catch (error) {
    if (!(error instanceof RollupdError) || error.code !== 'already_exists') throw error
  }
}

function sayingCreate(error: unknown): unknown {
  if (!(error instanceof RollupdError) || error.code !== 'unknown_topic') return error
  const hint = [...(error.hint === undefined ? [] : [error.hint]), '--create 4 makes it, with 4 partitions.'].join(' ')
  return new RollupdError(error.code, error.message, { hint, cause: error })
}

function pathOf(name: string): string {
  return `/v1/rollups/${encodeURIComponent(name)}`
}
