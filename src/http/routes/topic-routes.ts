/** Routes of topics and of the records posted to them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { RollupdError } from '../../core/errors.ts'
import { parseEnvelopes, parsePlainLines } from '../../service/posted-records.ts'
import type { TopicService } from '../../service/topic-service.ts'
import type { Topic } from '../../tailer/record-source.ts'
import {
  CreateTopicBody,
  ErrorAnswer,
  ProduceAnswer,
  ProduceQuery,
  TopicAnswer,
  TopicList,
  TopicParams,
} from '../schemas.ts'

export interface TopicRoutesOptions {
  readonly topics: TopicService
}

export const NDJSON = 'application/x-ndjson'

export const topicRoutes: FastifyPluginAsyncTypebox<TopicRoutesOptions> = async (app, { topics }) => {
  const tags = ['topics']
  app.addContentTypeParser([NDJSON], { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.get(
    '/v1/topics',
    { schema: { tags, summary: 'All topics', response: { 200: TopicList, 503: ErrorAnswer } } },
    async () => ({
      topics: (await topics.list()).map(toTopicAnswer),
    }),
  )

  app.post(
    '/v1/topics',
    {
      schema: {
        tags,
        summary: 'Create a topic',
        body: CreateTopicBody,
        response: { 201: TopicAnswer, '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request, reply) => {
      const topic = await topics.create(request.body.topic, request.body.partitions)
      return await reply.code(201).send(toTopicAnswer(topic))
    },
  )

  app.delete(
    '/v1/topics/:topic',
    {
      schema: {
        tags,
        summary: 'Delete a topic',
        params: TopicParams,
        response: { 204: Type.Null(), '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request, reply) => {
      await topics.delete(request.params.topic)
      return await reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/topics/:topic/records',
    {
      schema: {
        tags,
        summary: 'Append records',
        description:
          "NDJSON: a line is one record's value, its bytes kept as they are; blank lines are skipped. With format=envelope a line is " +
          '{value | value_base64, key?, key_base64?, headers?, timestamp?, partition?}. The header Idempotency-Key makes a repeated ' +
          'request answer as the first and add nothing (embedded log).',
        consumes: [NDJSON],
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

function toTopicAnswer({ name, id, partitions }: Topic) {
  return {
    topic: name,
    id,
    partitions: partitions.map(({ partition, startOffset, endOffset }) => ({
      partition,
      start_offset: startOffset,
      end_offset: endOffset,
    })),
  }
}
