/** Owns the preview thread's side of the messages: one preview after the other. */
import type { MessagePort } from 'node:worker_threads'
import { toErrorMessage } from '../../core/error-message.ts'
import { RollupdError } from '../../core/errors.ts'
import type { Answer } from '../../core/pending-calls.ts'
import type { PreviewRequest } from './preview-request.ts'
import { type PreviewParts, runPreview } from './run-preview.ts'

export interface PreviewThreadParts extends PreviewParts {
  readonly port: Pick<MessagePort, 'on' | 'postMessage'>
  /** Hears of what nobody expects. */
  readonly report: (error: unknown) => void
}

export interface ToPreview {
  readonly call: number
  readonly request: PreviewRequest
}

/** JSON as UTF-8. */
export type FromPreview = Answer<Uint8Array<ArrayBuffer>>

export function servePreviews(parts: PreviewThreadParts): void {
  parts.port.on('message', (message: ToPreview) => void answer(message, parts))
}

async function answer({ call, request }: ToPreview, parts: PreviewThreadParts): Promise<void> {
  const { port, report } = parts
  try {
    const result = new TextEncoder().encode(await runPreview(request, parts))
    port.postMessage({ kind: 'result', call, result } satisfies FromPreview, [result.buffer])
  } catch (error) {
    const told = error instanceof RollupdError ? error : toInternal(error, report)
    port.postMessage({ kind: 'error', call, error: toErrorMessage(told) } satisfies FromPreview)
  }
}

/** A broken invariant spoils this preview alone: nothing of it is kept. */
function toInternal(error: unknown, report: (error: unknown) => void): RollupdError {
  report(error)
  const message = error instanceof Error ? error.message : String(error)
  return new RollupdError('internal', `the preview met an error of rollupd: ${message}`)
}
