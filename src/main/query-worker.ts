/** Entry point of the thread that runs the statements of a query process, one after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../core/assert.ts'
import { toErrorMessage } from '../core/error-message.ts'
import { RollupdError } from '../core/errors.ts'
import { QueryRunner } from '../query/query-runner.ts'
import type { FromProcess, ProcessOptions, ToProcess } from '../query/query-request.ts'

assert(parentPort !== null, 'the query worker runs in a thread of its own')
const port = parentPort
const runner = await QueryRunner.create(workerData as ProcessOptions)

function answer({ id, request }: ToProcess): FromProcess {
  try {
    return { kind: 'answer', id, answer: runner.run(request) }
  } catch (error) {
    return { kind: 'error', id, error: toErrorMessage(error instanceof RollupdError ? error : toInternal(error)) }
  }
}

/** A broken invariant spoils this query alone: the process only reads. */
function toInternal(error: unknown): RollupdError {
  console.error(error)
  const message = error instanceof Error ? error.message : String(error)
  return new RollupdError('internal', `the query met an error of rollupd: ${message}`)
}

port.on('message', (message: ToProcess) => port.postMessage(answer(message)))
port.postMessage({ kind: 'ready' } satisfies FromProcess)
