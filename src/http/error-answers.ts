/** Owns how errors become answers. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, RollupdError } from '../core/errors.ts'

export function sendError(
  error: FastifyError | RollupdError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const shown = error instanceof RollupdError ? error : fromFastify(error)
  if (shown.kind.status >= 500 && !shown.kind.retryable) request.log.error({ err: error }, 'request failed')
  const { code, message, hint, position, detail } = shown
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

const CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_VALIDATION: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'bad_request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'bad_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
}

function fromFastify(error: FastifyError): RollupdError {
  if (error.validation !== undefined)
    return new RollupdError('bad_request', describeValidation(error), { cause: error })
  const code = CODES[error.code]
  if (code !== undefined) return new RollupdError(code, toLowerCaseStart(error.message), { cause: error })
  const status = error.statusCode ?? 500
  if (status >= 400 && status < 500)
    return new RollupdError('bad_request', toLowerCaseStart(error.message), { cause: error })
  return new RollupdError('internal', 'an unexpected error; the log has the details', { cause: error })
}

/** `body/source: unknown field "tpoic"`. */
function describeValidation(error: FastifyError): string {
  const [first] = error.validation ?? []
  if (first === undefined) return error.message
  const where = `${error.validationContext ?? 'body'}${first.instancePath}`
  if (first.keyword === 'additionalProperties') {
    return `${where}: unknown field "${String(first.params['additionalProperty'])}"`
  }
  return `${where}: ${first.message ?? 'is not valid'}`
}

function toLowerCaseStart(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
