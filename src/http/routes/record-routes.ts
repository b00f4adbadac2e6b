/** The route of posted records: the one that takes NDJSON. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { RollupdError } from '../../core/errors.ts'
import { parseEnvelopes, parsePlainLines } from '../../service/posted-records.ts'
import type { TopicService } from '../../service/topic-service.ts'
import { ErrorAnswer, ProduceAnswer, ProduceQuery, TopicParams } from '../schemas.ts'

export interface RecordRoutesOptions {
  readonly topics: TopicService
}

const NDJSON = 'application/x-ndjson'

/** Any bytes: the parser gives a buffer. */
const Lines = Type.Unsafe<Uint8Array>({ description: 'A record a line' })

export const recordRoutes: FastifyPluginAsyncTypebox<RecordRoutesOptions> = async (app, { topics }) => {
  app.addContentTypeParser([NDJSON], { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post(
    '/v1/topics/:topic/records',
    {
      schema: {
        tags: ['topics'],
        summary: 'Append records',
        description:
          "NDJSON: a line is one record's value, its bytes kept as they are; blank lines are skipped. With format=envelope a line is " +
          '{value | value_base64, key?, key_base64?, headers?, timestamp?, partition?}. The header Idempotency-Key makes a repeated ' +
          'request answer as the first and add nothing (embedded log).',
        consumes: [NDJSON],
        body: { content: { [NDJSON]: { schema: Lines } } },
        params: TopicParams,
        querystring: ProduceQuery,
        response: { 200: ProduceAnswer, '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request) => {
      const { partition, format } = request.query
      const body = request.body
      if (!(body instanceof Uint8Array)) {
        throw new RollupdError('unsupported_media_type', 'records are sent as application/x-ndjson', {
          hint: 'Set the header content-type: application/x-ndjson.',
        })
      }
      const records = format === 'envelope' ? parseEnvelopes(body, partition) : parsePlainLines(body, partition)
      const key = request.headers['idempotency-key']
      const ranges = await topics.produce(request.params.topic, records, typeof key === 'string' ? key : undefined)
      return {
        offsets: Object.fromEntries(
          ranges.map(({ partition: of, first, last, next }) => [String(of), { first, last, next }]),
        ),
      }
    },
  )
}
