/** Owns `rollupd preview`: a statement on some records, looked at before a rollup is made of it. */
import { readFileSync } from 'node:fs'
import { RollupdError } from '../core/errors.ts'
import { type AddCommand, type ClientFlags, clientOf, type Output, toNumber, toStart } from './client-command.ts'
import { describePreview } from './describe-preview.ts'
import { readStatement, showingPlace } from './statement-source.ts'

interface PreviewFlags extends ClientFlags {
  readonly topic?: string
  readonly start: string
  readonly records?: string
  readonly sample?: number
  readonly steps?: boolean
}

const STANDARD_INPUT = 0

export function addPreview(add: AddCommand, output: Output): void {
  add(
    'preview',
    'show what a rollup would make of some records; nothing is stored',
    'preview sql/orders.sql --topic orders',
  )
    .argument('<file>', 'file with one SQL statement; - is standard input')
    .option('--topic <topic>', 'topic that a sample is read from')
    .option(
      '--start <start>',
      'where the sample begins: earliest, an ISO 8601 time, or latest for the newest records',
      'latest',
    )
    .option('--records <file>', 'records instead of a topic, a line of NDJSON is one; - is standard input')
    .option('--sample <count>', 'records at most (default 100 of a topic, all that are given)', toNumber)
    .option('--steps', 'show which cells each record changed')
    .action(async (file: string, flags: PreviewFlags) => {
      const records = chooseRecords(file, flags)
      const source = readStatement(file)
      const text = await showingPlace(source, () =>
        clientOf(flags).call('POST', '/v1/rollups/preview', {
          sql: source.sql,
          ...(records === undefined
            ? { source: { topic: flags.topic, start: toStart(flags.start) } }
            : { records: readLines(records) }),
          sample: flags.sample,
          steps: flags.steps,
        }),
      )
      output.write(flags.json === true ? text : describePreview(text))
    })
}

/** The file of records; undefined: a topic. Errors: bad_request. */
function chooseRecords(file: string, { topic, records }: PreviewFlags): string | undefined {
  if ((topic === undefined) === (records === undefined)) {
    const what =
      topic === undefined ? 'neither --topic nor --records is given' : '--topic and --records exclude each other'
    throw new RollupdError('bad_request', what, {
      hint: 'Name a topic to take a sample of, or a file with records.',
    })
  }
  if (file === '-' && records === '-') {
    throw new RollupdError('bad_request', 'the statement and the records can not both come from standard input')
  }
  return records
}

/** Blank lines are skipped, as where records are produced. Errors: bad_request naming the file. */
function readLines(file: string): string[] {
  try {
    const text = readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8')
    return text.split('\n').filter((line) => line.trim() !== '')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new RollupdError('bad_request', `records file "${file}" can't be read: ${why}`, { cause })
  }
}
