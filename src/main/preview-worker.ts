/** Entry point of the preview thread: reads samples over a source of its own, and writes nothing. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../core/assert.ts'
import { servePreviews } from '../service/preview/preview-thread.ts'
import { createPlanner } from './create-planner.ts'
import { openSource, type SourceSettings } from './open-source.ts'

assert(parentPort !== null, 'the preview worker runs as a thread')
servePreviews({
  port: parentPort,
  source: openSource(workerData as SourceSettings),
  planRollup: await createPlanner(),
  clock: () => performance.now(),
  report: (error) => console.error(error),
})
