/**
 * What the rollup of the kill test must answer: DuckDB over the same records, with integers where doubles would round, and each
 * result rounded once.
 */
import { DuckDBInstance } from '@duckdb/node-api'
import { UNITS } from './kill-events.ts'

/** The rollup: every aggregate of the stage. */
export const KILL_SQL = `SELECT date_trunc('minute', ts::timestamptz) AS minute, country,
  COUNT(*) AS views, COUNT(referrer) AS referred, SUM(bytes) AS bytes_sum, SUM(balance) AS balance_sum,
  AVG(latency_ms) AS latency_avg, MIN(latency_ms) AS latency_min, MAX(latency_ms) AS latency_max,
  MIN(path) AS path_min, MAX(path) AS path_max, COUNT(*) FILTER (WHERE latency_ms > 500) AS slow,
  SUM(bytes) FILTER (WHERE device.os = 'ios') AS ios_bytes, APPROX_DISTINCT(user_id) AS users
FROM _input WHERE ok GROUP BY minute, country`

const ORACLE_SQL = `SELECT strftime(date_trunc('minute', ts), '%Y-%m-%dT%H:%M:%SZ') AS minute, country,
  COUNT(*)::VARCHAR AS views, COUNT(referrer)::VARCHAR AS referred, SUM(bytes::HUGEINT)::VARCHAR AS bytes_sum,
  SUM(balance_units::HUGEINT)::VARCHAR AS balance_units, SUM((latency_ms * ${UNITS})::HUGEINT)::VARCHAR AS latency_units,
  MIN(latency_ms)::VARCHAR AS latency_min, MAX(latency_ms)::VARCHAR AS latency_max, MIN(path) AS path_min, MAX(path) AS path_max,
  COUNT(*) FILTER (WHERE latency_ms > 500)::VARCHAR AS slow,
  (SUM(bytes::HUGEINT) FILTER (WHERE device.os = 'ios'))::VARCHAR AS ios_bytes, COUNT(DISTINCT user_id)::VARCHAR AS users
FROM events WHERE ok GROUP BY 1, 2`

const COLUMNS = `{ts: 'TIMESTAMP', country: 'VARCHAR', path: 'VARCHAR', referrer: 'VARCHAR', device: 'STRUCT(os VARCHAR)',
  latency_ms: 'DECIMAL(18,6)', bytes: 'BIGINT', balance_units: 'VARCHAR', user_id: 'BIGINT', ok: 'BOOLEAN'}`

/** Beyond a few hundred values a sketch errs; typically below 2 %, so that a tenth is a defect. */
const SKETCH_ERROR_MAX = 0.1

export type Row = Record<string, unknown>

export interface Oracle {
  readonly filtered: number
  readonly groups: ReadonlyMap<string, Record<string, string | null>>
}

export const groupKeyOf = (row: Row) => `${String(row['minute'])} ${String(row['country'])}`

/** Reads the good records, as NDJSON. */
export async function askOracle(file: string): Promise<Oracle> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run(
      `CREATE TABLE events AS SELECT * FROM read_json('${file}', format='newline_delimited', columns=${COLUMNS})`,
    )
    const filtered = await connection.runAndReadAll('SELECT COUNT(*) FILTER (WHERE NOT ok) AS n FROM events')
    const groups = await connection.runAndReadAll(ORACLE_SQL)
    const rows = groups.getRowObjects() as Record<string, string | null>[]
    return {
      filtered: Number(filtered.getRowObjects()[0]?.['n']),
      groups: new Map(rows.map((row) => [groupKeyOf(row), row])),
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** What is wrong with the rollup's rows; empty: nothing. */
export function findDifferences(rows: readonly Row[], { groups }: Oracle): string[] {
  const differences = rows.flatMap((row) => {
    const expected = groups.get(groupKeyOf(row))
    return expected === undefined ? [`${groupKeyOf(row)}: no such group`] : compareRow(row, expected)
  })
  const present = new Set(rows.map(groupKeyOf))
  if (present.size !== rows.length) differences.push(`${rows.length - present.size} groups are there twice`)
  for (const key of groups.keys()) if (!present.has(key)) differences.push(`${key}: missing`)
  return differences
}

function compareRow(row: Row, expected: Record<string, string | null>): string[] {
  const number = (name: string) => (expected[name] === null ? null : Number(expected[name]))
  const units = (name: string) => BigInt(expected[name] ?? '0')
  const wanted: Row = {
    views: number('views'),
    referred: number('referred'),
    bytes_sum: number('bytes_sum'),
    balance_sum: toNearestDouble(units('balance_units'), BigInt(UNITS)),
    latency_avg: toNearestDouble(units('latency_units'), BigInt(UNITS) * units('views')),
    latency_min: number('latency_min'),
    latency_max: number('latency_max'),
    path_min: expected['path_min'],
    path_max: expected['path_max'],
    slow: number('slow'),
    ios_bytes: number('ios_bytes'),
  }
  const differences = Object.entries(wanted).flatMap(([name, value]) =>
    row[name] === value ? [] : [`${groupKeyOf(row)}: ${name} is ${String(row[name])}, not ${String(value)}`],
  )
  const users = Number(expected['users'])
  if (Math.abs(Number(row['users']) - users) > users * SKETCH_ERROR_MAX + 1) {
    differences.push(`${groupKeyOf(row)}: users is ${String(row['users'])}, far from ${users}`)
  }
  return differences
}

/** The double nearest to a quotient: its decimal digits far beyond a double's, with a last one that says whether more follow. */
export function toNearestDouble(numerator: bigint, denominator: bigint): number {
  const places = 60
  const scaled = (numerator < 0n ? -numerator : numerator) * 10n ** BigInt(places)
  const sticky = scaled % denominator === 0n ? '0' : '1'
  const value = Number(`${scaled / denominator}${sticky}e-${places + 1}`)
  // the answer has no -0
  return numerator < 0n ? -value : value
}
