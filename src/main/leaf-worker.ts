/** Entry point of the leaf thread: the only writer of leaf.db. */
import { parentPort, workerData } from 'node:worker_threads'
import { decodePartialBatch } from '../aggregator/partial-batch-codec.ts'
import { assert } from '../core/assert.ts'
import { toErrorMessage } from '../core/error-message.ts'
import { DEAD_LETTER_LIMITS } from '../leaf/dead-letter-table.ts'
import { FailPoint } from '../leaf/fail-point.ts'
import type { FromLeaf, LeafWorkerData } from '../leaf/leaf-thread-messages.ts'
import { LeafThreadServer } from '../leaf/leaf-thread-server.ts'
import { SqliteLeaf } from '../leaf/sqlite-leaf.ts'

assert(parentPort !== null, 'the leaf worker runs as a thread')
const port = parentPort
const { path, deadLettersMax } = workerData as LeafWorkerData
const { ROLLUPD_FAIL_POINT, ROLLUPD_LEAF_MAX_PAGES } = process.env

function openLeaf(): SqliteLeaf | undefined {
  try {
    return new SqliteLeaf(path, {
      now: Date.now,
      deadLetterLimits: { ...DEAD_LETTER_LIMITS, countMax: deadLettersMax },
      // both for tests: a disk that is full early, and a process that can be killed at a chosen point
      limits: { pagesMax: ROLLUPD_LEAF_MAX_PAGES === undefined ? undefined : Number(ROLLUPD_LEAF_MAX_PAGES) },
      failPoint: new FailPoint(ROLLUPD_FAIL_POINT),
    })
  } catch (error) {
    port.postMessage({ kind: 'failed', error: toErrorMessage(error) } satisfies FromLeaf)
    return undefined
  }
}

const leaf = openLeaf()
if (leaf !== undefined) LeafThreadServer.start({ leaf, port, decodeBatch: decodePartialBatch })
