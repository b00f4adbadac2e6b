/** Routes of topics. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { TopicService } from '../../service/topic-service.ts'
import type { Topic } from '../../tailer/record-source.ts'
import { CreateTopicBody, ErrorAnswer, TopicAnswer, TopicList, TopicParams } from '../schemas.ts'

export interface TopicRoutesOptions {
  readonly topics: TopicService
}

export const topicRoutes: FastifyPluginAsyncTypebox<TopicRoutesOptions> = async (app, { topics }) => {
  const tags = ['topics']

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
