/** Entry point of the preview thread: reads samples over a source of its own, and writes nothing. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../core/assert.ts'
import { servePreviews } from '../service/preview/preview-thread.ts'
import { runPreview } from '../service/preview/run-preview.ts'
import { createPlanner } from './create-planner.ts'
import { openSource, type SourceSettings } from './open-source.ts'

assert(parentPort !== null, 'the preview worker runs as a thread')
const parts = {
  source: openSource(workerData as SourceSettings),
  planRollup: await createPlanner(),
  clock: () => performance.now(),
}
// what a first run loads and compiles, nobody should wait for
const records = { kind: 'records', values: ['{"a":"b","c":1.5}'] } as const
const sql = 'SELECT a, COUNT(*) AS n, AVG(c) AS mean FROM _input WHERE c > 0 GROUP BY a'
await runPreview({ sql, from: records, steps: true, onError: 'dead_letter', receivedAtMs: 0 }, parts)
servePreviews({ ...parts, port: parentPort, report: (error) => console.error(error) })
