/** The route of queries: JSON in one piece, or NDJSON and CSV as streams. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { RollupdError } from '../../core/errors.ts'
import { type AnswerFormat, CONTENT_TYPES } from '../../query/query-request.ts'
import type { FencedQueries } from '../../service/fenced-queries.ts'
import { chooseAcceptedType } from '../accepted-type.ts'
import { ErrorAnswer, QueryBody } from '../schemas.ts'
import { refuseLongStatement } from '../statement-limit.ts'
import { watchClient } from '../watch-client.ts'

/** The first is for whoever takes any. */
const FORMATS = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
} as const satisfies Record<string, AnswerFormat>

export interface QueryRoutesOptions {
  readonly queries: FencedQueries
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
      const format = chooseFormat(request.headers.accept)
      const client = watchClient(reply)
      const query = { sql, params, atLeast: at_least, timeoutMs: timeout_ms, limit, format }
      const answer = await queries
        .run({ ...query, bigNumbers: big_numbers, onCellError: on_cell_error }, client.signal)
        .finally(client.end)
      return await reply.type(CONTENT_TYPES[format]).header('content-length', answer.byteLength).send(answer.body)
    },
  )
}

/** Errors: bad_request when only other types are accepted. */
function chooseFormat(accept: string | undefined): AnswerFormat {
  const type = chooseAcceptedType(accept, Object.keys(FORMATS) as (keyof typeof FORMATS)[])
  if (type !== undefined) return FORMATS[type]
  throw new RollupdError('bad_request', `no answer of the accepted types "${accept}" can be given`, {
    hint: 'Accept application/json, application/x-ndjson or text/csv.',
  })
}
