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
      const answer = await queries.run(
        {
          sql,
          params,
          atLeast: at_least,
          timeoutMs: timeout_ms,
          limit,
          bigNumbers: big_numbers,
          onCellError: on_cell_error,
          format,
        },
        signalOfDisconnect(request),
      )
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

/** A client that went away needs no answer. */
function signalOfDisconnect(request: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  request.raw.socket.once('close', () =>
    controller.abort(new RollupdError('bad_request', 'the client closed the connection')),
  )
  return controller.signal
}
