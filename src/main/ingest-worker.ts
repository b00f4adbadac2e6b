/** Entry point of the ingest thread: reads, decodes and folds; commits go straight to the leaf thread. */
import { parentPort, type MessagePort, workerData } from 'node:worker_threads'
import { assert } from '../core/assert.ts'
import { LeafCommitPort } from '../leaf/leaf-commit-port.ts'
import { IngestThread } from '../tailer/ingest-thread.ts'
import { openSource, type SourceSettings } from './open-source.ts'

export interface IngestWorkerData {
  readonly source: SourceSettings
  readonly leafPort: MessagePort
  readonly deadLettersMax: number
}

const { source, leafPort, deadLettersMax } = workerData as IngestWorkerData
assert(parentPort !== null, 'the ingest worker runs as a thread')
new IngestThread({
  port: parentPort,
  source: openSource(source),
  committer: new LeafCommitPort(leafPort),
  deadLettersMax,
})
