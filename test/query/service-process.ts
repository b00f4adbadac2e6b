/** A process with a query service that runs one long query; it tells the process ids, and is killed by the test. */
import { QueryService } from '../../src/query/query-service.ts'

const { leafPath, spoolDirectory, sql } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const service = new QueryService({
  processUrl: new URL('../../src/main/query-process.ts', import.meta.url),
  leafPath: leafPath ?? '',
  spoolDirectory: `${spoolDirectory}-2`,
  limits: {
    rows: 10,
    rows_default: 10,
    query_timeout_ms: 60_000,
    query_timeout_ms_default: 60_000,
    query_processes: 2,
    queries_waiting: 2,
    statement_characters: 100_000,
  },
})
await service.run({ sql: 'SELECT 1 AS one' })
service.run({ sql: sql ?? '' }).catch(() => {})
setTimeout(() => process.send?.(service.processIds), 200)
