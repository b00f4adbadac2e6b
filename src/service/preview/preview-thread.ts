/** Owns the preview thread's side of the messages: one preview after the other. */
import type { MessagePort } from 'node:worker_threads'
import { toErrorMessage } from '../../core/error-message.ts'
import { RollupdError } from '../../core/errors.ts'
import type { Answer } from '../../core/pending-calls.ts'
import type { PreviewRequest } from './preview-request.ts'
import { type PreviewParts, runPreview } from './run-preview.ts'

export interface ToPreview {
  readonly call: number
  readonly request: PreviewRequest
}

/** JSON as UTF-8. */
export type FromPreview = Answer<Uint8Array<ArrayBuffer>>

export function servePreviews(port: Pick<MessagePort, 'on' | 'postMessage'>, parts: PreviewParts): void {
  port.on('message', (message: ToPreview) => void answer(message, port, parts))
}

async function answer({ call, request }: ToPreview, port: Pick<MessagePort, 'postMessage'>, parts: PreviewParts) {
  try {
    const result = new TextEncoder().encode(await runPreview(request, parts))
    port.postMessage({ kind: 'result', call, result } satisfies FromPreview, [result.buffer])
  } catch (error) {
    const told = error instanceof RollupdError ? error : toInternal(error)
    port.postMessage({ kind: 'error', call, error: toErrorMessage(told) } satisfies FromPreview)
  }
}

/** A broken invariant spoils this preview alone: nothing of it is kept. */
function toInternal(error: unknown): RollupdError {
  console.error(error)
  const message = error instanceof Error ? error.message : String(error)
  return new RollupdError('internal', `the preview met an error of rollupd: ${message}`)
}
