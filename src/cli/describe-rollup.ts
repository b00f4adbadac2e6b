/** Owns how a rollup is shown to a person. */
import type { RollupAnswer } from '../service/rollup-answer.ts'
import { breakStatement, fillLines } from './break-statement.ts'
import { COMMAND_NAME } from './command-name.ts'
import { formatTable } from './text-table.ts'

export function describeRollup(rollup: RollupAnswer): string {
  const { counts, shards, columns } = rollup
  return [
    describeStatus(rollup),
    ...rollup.warnings.map((warning) => `  warning: ${warning}`),
    '',
    'Ingest half, on every record:',
    indent(breakStatement(rollup.ingest_sql)),
    '',
    'Wrap half, at read time:',
    indent(breakStatement(rollup.wrap_sql)),
    '',
    fillLines(
      columns.map(
        ({ name, type }, index) =>
          `${index === 0 ? 'Columns: ' : ''}${name} (${type})${index === columns.length - 1 ? '' : ','}`,
      ),
    ),
    `Groups: ${rollup.groups}, in ${rollup.bytes} bytes`,
    `Records: ${Object.entries(counts)
      .filter(([name, count]) => count > 0 || name === 'aggregated')
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
    ...(counts.dead > 0 ? [`  why they are dead: ${COMMAND_NAME} dead-letters ${rollup.name}`] : []),
    '',
    formatTable(
      ['PARTITION', 'STATUS', 'START', 'NEXT', 'LAG'],
      shards.map((shard) => [
        String(shard.partition),
        statusOf(rollup, shard),
        String(shard.start_offset),
        String(shard.next_offset),
        shard.lag === null ? '?' : String(shard.lag),
      ]),
    ),
    ...shards.flatMap(({ partition, reason }) =>
      reason === undefined ? [] : [`partition ${partition}: ${reason.message}`],
    ),
  ].join('\n')
}

/** What it reads and whether it does, and why not. */
export function describeStatus({ name, source, status, reason }: RollupAnswer): string {
  const state = `${name} reads topic ${source.topic}: ${status}`
  return reason === undefined ? state : `${state}\n  ${reason.code}: ${reason.message}`
}

/** One line for each. */
export function describeRollups(rollups: readonly RollupAnswer[]): string {
  if (rollups.length === 0) {
    return `there are no rollups yet; this makes one: ${COMMAND_NAME} create NAME FILE.sql --topic TOPIC`
  }
  return formatTable(
    ['NAME', 'TOPIC', 'STATUS', 'GROUPS', 'RECORDS', 'DEAD', 'LAG'],
    rollups.map((rollup) => [
      rollup.name,
      rollup.source.topic,
      rollup.reason === undefined ? rollup.status : `${rollup.status} (${rollup.reason.code})`,
      String(rollup.groups),
      String(rollup.counts.aggregated),
      String(rollup.counts.dead),
      sumLag(rollup),
    ]),
  )
}

function statusOf(rollup: RollupAnswer, shard: RollupAnswer['shards'][number]): string {
  if (shard.reason !== undefined) return `${shard.status} (${shard.reason.code})`
  // a shard tells what it does when it may read
  return rollup.status === 'paused' && shard.status === 'reading' ? 'paused' : shard.status
}

function sumLag({ shards }: RollupAnswer): string {
  const lags = shards.map(({ lag }) => lag)
  return lags.includes(null) ? '?' : String(lags.reduce<number>((sum, lag) => sum + (lag ?? 0), 0))
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
