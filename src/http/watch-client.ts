/** Owns noticing that a client has gone before its answer. */
import type { FastifyReply } from 'fastify'
import { RollupdError } from '../core/errors.ts'

/** Aborts when the client goes away before its answer: it needs none then. Caller ends the watch with the answer. */
export function watchClient({ raw: response }: FastifyReply): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort(new RollupdError('bad_request', 'the client closed the connection'))
  // not the socket's: that may carry many requests at once
  response.once('close', abort)
  return { signal: controller.signal, end: () => response.removeListener('close', abort) }
}
