/** Owns how a rollup is shown to a person. */
import type { RollupAnswer } from '../service/rollup-answer.ts'
import { breakStatement, fillLines } from './break-statement.ts'
import { COMMAND_NAME } from './command-name.ts'
import { indent } from './indent.ts'
import { formatTable } from './text-table.ts'

/** Its halves, its columns, its counters and its shards. */
export function describeRollup(rollup: RollupAnswer): string {
  const { name, counts, shards } = rollup
  return [
    describeStatement(rollup),
    `Groups: ${rollup.groups}, in ${rollup.bytes} bytes`,
    `Records: ${Object.entries(counts)
      .filter(([outcome, count]) => count > 0 || outcome === 'aggregated')
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', ')}`,
    ...(counts.dead > 0 ? [`  why they are dead: ${COMMAND_NAME} dead-letters ${name}`] : []),
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

/** A new one has read nothing yet: what it will do, and how to look at it. */
export function describeCreated(rollup: RollupAnswer): string {
  const { name } = rollup
  return `${describeStatement(rollup)}

Ask it: ${COMMAND_NAME} query "SELECT * FROM ${name} LIMIT 10"
How far it is: ${COMMAND_NAME} show ${name}`
}

function describeStatement(rollup: RollupAnswer): string {
  const { columns, warnings } = rollup
  const items = columns.map(({ name, type }, index) => {
    const head = index === 0 ? 'Columns: ' : ''
    return `${head}${name} (${type})${index === columns.length - 1 ? '' : ','}`
  })
  return [
    describeStatus(rollup),
    ...warnings.map((warning) => `  warning: ${warning}`),
    '',
    `Ingest half, on every ${rollup.source.rollup === undefined ? 'record' : `group of ${rollup.source.rollup}`}:`,
    indent(breakStatement(rollup.ingest_sql)),
    '',
    'Wrap half, at read time:',
    indent(breakStatement(rollup.wrap_sql)),
    '',
    fillLines(items),
  ].join('\n')
}

/** What it reads and whether it does, and why not. */
export function describeStatus({ name, source, status, reason }: RollupAnswer): string {
  const what = source.rollup === undefined ? `topic ${source.topic}` : `rollup ${source.rollup} (topic ${source.topic})`
  const state = `${name} reads ${what}: ${status}`
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
