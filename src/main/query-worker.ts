/** Entry point of the thread that runs the statements of a query process, one after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { QueryRunner } from '../query/query-runner.ts'
import { toErrorMessage, type FromProcess, type ProcessOptions, type ToProcess } from '../query/query-request.ts'

assert(parentPort !== null, 'the query worker runs in a thread of its own')
const port = parentPort
const runner = await QueryRunner.create(workerData as ProcessOptions)

function answer({ id, request }: ToProcess): FromProcess {
  try {
    return { kind: 'answer', id, answer: runner.run(request) }
  } catch (error) {
    // a broken invariant spoils this query alone: the process only reads
    if (!(error instanceof RollupdError)) console.error(error)
    return { kind: 'error', id, error: toErrorMessage(error) }
  }
}

port.on('message', (message: ToProcess) => port.postMessage(answer(message)))
port.postMessage({ kind: 'ready' } satisfies FromProcess)
