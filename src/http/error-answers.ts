/** Owns how errors become answers. */
import { type Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, RollupdError } from '../core/errors.ts'
import { describeValidation } from './validation-message.ts'

export function sendError(
  error: FastifyError | RollupdError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const shown = error instanceof RollupdError ? error : fromFastify(error)
  if (shown.kind.status >= 500 && !shown.kind.retryable) request.log.error({ err: error }, 'request failed')
  const { code, hint, position, detail } = shown
  // whoever still sends must be able to read the answer: what comes is thrown away, up to the request's time limit
  if (code === 'body_too_large') reply.removeHeader('connection')
  // it may quote a user's text
  const message = shown.message.replaceAll(/[\r\n]+/g, ' ')
  return reply
    .code(shown.kind.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: { code, message, hint, position, detail } }))
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = new RollupdError('not_found', `${request.method} ${request.url.split('?')[0]} does not exist`, {
    hint: 'The API is described at /docs and /openapi.json.',
  })
  return sendError(error, request, reply)
}

/** To what isn't even HTTP: there is no request then to answer to. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const status = BROKEN_REQUEST_STATUS[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify({
    error: { code: 'bad_request', message: `the request can't be read: ${error.message}` },
  })
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`)
}

const BROKEN_REQUEST_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_VALIDATION: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'bad_request',
  // a name that long doesn't exist
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

function fromFastify(error: FastifyError): RollupdError {
  if (error.validation !== undefined)
    return new RollupdError('bad_request', describeValidation(error), { cause: error })
  const code = CODES[error.code]
  if (code === 'body_too_large') {
    return new RollupdError(code, 'the body is larger than this server takes', {
      hint: 'Send it in parts, or raise the option limits.body_bytes.',
      cause: error,
    })
  }
  if (code !== undefined) return new RollupdError(code, toLowerCaseStart(error.message), { cause: error })
  const status = error.statusCode ?? 500
  if (status >= 400 && status < 500)
    return new RollupdError('bad_request', toLowerCaseStart(error.message), { cause: error })
  return new RollupdError('internal', 'an unexpected error; the log has the details', { cause: error })
}

function toLowerCaseStart(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
