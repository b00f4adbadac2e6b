/** The route of queries: JSON in one piece, or NDJSON and CSV as streams. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { RollupdError } from '../../core/errors.ts'
import { type AnswerFormat, CONTENT_TYPES } from '../../query/query-request.ts'
import type { QueryRunner } from '../../service/query-runner.ts'
import { ErrorAnswer, QueryBody } from '../schemas.ts'
import { refuseLongStatement } from '../statement-limit.ts'

export interface QueryRoutesOptions {
  readonly queries: QueryRunner
  readonly statementCharactersMax: number
}

export const queryRoutes: FastifyPluginAsyncTypebox<QueryRoutesOptions> = async (
  app,
  { queries, statementCharactersMax },
) => {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseExactJson(body as string))
    } catch (error) {
      done(error as RollupdError)
    }
  })
  app.post(
    '/v1/query',
    {
      schema: {
        tags: ['queries'],
        summary: 'Run one SELECT over rollups',
        description:
          'All rows are of one commit. Accept: application/x-ndjson (a row a line, then {"result": ...}) or text/csv for streams.',
        body: QueryBody,
        produces: ['application/json', 'application/x-ndjson', 'text/csv'],
        response: {
          200: Type.Unknown({ description: 'Result: columns, rows, as_of and more' }),
          '4xx': ErrorAnswer,
          '5xx': ErrorAnswer,
        },
      },
      // the answer is text already, with all digits of its numbers
      serializerCompiler: () => (text) => text as string,
    },
    async (request, reply) => {
      const { sql, params, at_least, timeout_ms, limit, big_numbers, on_cell_error } = request.body
      refuseLongStatement(sql, statementCharactersMax)
      const format = chooseFormat(request)
      const client = watchClient(request)
      const query = { sql, params, atLeast: at_least, timeoutMs: timeout_ms, limit, format }
      const answer = await queries
        .run({ ...query, bigNumbers: big_numbers, onCellError: on_cell_error }, client.signal)
        .finally(client.end)
      return await reply.type(CONTENT_TYPES[format]).header('content-length', answer.byteLength).send(answer.stream)
    },
  )
}

/** Whoever names none of the streams gets JSON. Errors: bad_request when only other types are accepted. */
function chooseFormat(request: FastifyRequest): AnswerFormat {
  const accepted = request.headers.accept ?? '*/*'
  if (accepted.includes('application/x-ndjson')) return 'ndjson'
  if (accepted.includes('text/csv')) return 'csv'
  if (/application\/json|application\/\*|\*\/\*/.test(accepted)) return 'json'
  throw new RollupdError('bad_request', `no answer of the accepted types "${accepted}" can be given`, {
    hint: 'Accept application/json, application/x-ndjson or text/csv.',
  })
}

/** Aborts when the client goes away before its answer: it needs none then. Caller ends the watch with the answer. */
function watchClient(request: FastifyRequest): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort(new RollupdError('bad_request', 'the client closed the connection'))
  const { socket } = request.raw
  socket.once('close', abort)
  return { signal: controller.signal, end: () => socket.removeListener('close', abort) }
}

interface ReviverContext {
  readonly source?: string
}

/** Integers that a double can't hold stay exact: they are parameters. Errors: bad_request. */
function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: ReviverContext) => {
      const source = context?.source ?? ''
      return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
        ? BigInt(source)
        : value
    })
  } catch (cause) {
    throw new RollupdError('bad_request', `the body is not JSON: ${(cause as Error).message}`, { cause })
  }
}
