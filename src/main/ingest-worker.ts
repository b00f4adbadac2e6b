/** Entry point of the ingest thread: reads, decodes and folds; commits go straight to the leaf thread. */
import { parentPort, type MessagePort, workerData } from 'node:worker_threads'
import { assert } from '../core/assert.ts'
import { LeafCommitPort } from '../leaf/leaf-commit-port.ts'
import { IngestThread } from '../tailer/ingest-thread.ts'
import { READING_PACE, type ReadingPace } from '../tailer/reading-pace.ts'
import { openSource, type SourceSettings } from './open-source.ts'

export interface IngestWorkerData {
  readonly source: SourceSettings
  readonly leafPort: MessagePort
  readonly deadLettersMax: number
}

const { source, leafPort, deadLettersMax } = workerData as IngestWorkerData
const { ROLLUPD_COMMIT_AFTER_MS, ROLLUPD_FETCH_BYTES } = process.env

/** Both for tests: many small fetches and commits, between which the process can be killed. */
function toPace(): ReadingPace {
  const commitAfterMs = ROLLUPD_COMMIT_AFTER_MS === undefined ? undefined : Number(ROLLUPD_COMMIT_AFTER_MS)
  return {
    commitAfterMs: commitAfterMs ?? READING_PACE.commitAfterMs,
    commitAfterMsCatchingUp: commitAfterMs ?? READING_PACE.commitAfterMsCatchingUp,
    firstCommitAfterMs: commitAfterMs ?? READING_PACE.firstCommitAfterMs,
    fetchBytes: ROLLUPD_FETCH_BYTES === undefined ? READING_PACE.fetchBytes : Number(ROLLUPD_FETCH_BYTES),
  }
}

assert(parentPort !== null, 'the ingest worker runs as a thread')
const committer = new LeafCommitPort(leafPort)
// either port would keep the thread alive
parentPort.on('close', () => committer.close())
new IngestThread({
  port: parentPort,
  source: openSource(source),
  committer,
  deadLettersMax,
  pace: toPace(),
})
