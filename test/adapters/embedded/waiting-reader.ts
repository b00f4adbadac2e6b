/** A thread that waits for the first record of a topic and tells when it came. */
import { parentPort, workerData } from 'node:worker_threads'
import { EmbeddedLogSource } from '../../../src/adapters/embedded/embedded-log-source.ts'
import { RecordBatchDecoder } from '../../../src/records/record-batch-decoder.ts'
import type { Topic } from '../../../src/tailer/record-source.ts'

const WAIT_MS = 10_000

const { path, wake, topic } = workerData as { path: string; wake: SharedArrayBuffer; topic: Topic }
const source = new EmbeddedLogSource({ path, wake })
const reader = source.openReader()
const request = { topic: topic.name, shard: { topicId: topic.id, partition: 0 }, offset: 0, maxBytes: 1_000_000 }
const polling = reader.fetch([request], { maxWaitMs: WAIT_MS })
const from = performance.now()
parentPort?.postMessage('waiting', [])
const [answer] = await polling
const next = new RecordBatchDecoder().walkHeaders(answer ?? { bytes: new Uint8Array(0) }, 0)
parentPort?.postMessage({ next, isLate: performance.now() - from > WAIT_MS / 2 }, [])
await reader.close()
await source.close()
