/** Routes of views. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { ViewService } from '../../service/view-service.ts'
import { ErrorAnswer, NameParams, PutViewBody, ViewAnswerSchema, ViewList } from '../schemas.ts'
import { refuseLongStatement } from '../statement-limit.ts'

export interface ViewRoutesOptions {
  readonly views: ViewService
  readonly statementCharactersMax: number
}

export const viewRoutes: FastifyPluginAsyncTypebox<ViewRoutesOptions> = async (
  app,
  { views, statementCharactersMax },
) => {
  const tags = ['views']

  app.put(
    '/v1/views/:name',
    {
      schema: {
        tags,
        summary: 'Create or replace a view',
        description:
          'A SELECT that queries read by its name. It is compiled now; what it reads can not be dropped while it is there.',
        params: NameParams,
        body: PutViewBody,
        response: { 200: ViewAnswerSchema, 201: ViewAnswerSchema, '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request, reply) => {
      refuseLongStatement(request.body.sql, statementCharactersMax)
      const { view, isNew } = await views.put(request.params.name, request.body.sql)
      return await reply.code(isNew ? 201 : 200).send(view as never)
    },
  )

  app.get(
    '/v1/views',
    { schema: { tags, summary: 'All views', response: { 200: ViewList } } },
    async () => ({ views: await views.list() }) as never,
  )

  app.get(
    '/v1/views/:name',
    {
      schema: { tags, summary: 'One view', params: NameParams, response: { 200: ViewAnswerSchema, 404: ErrorAnswer } },
    },
    async (request) => (await views.get(request.params.name)) as never,
  )

  app.delete(
    '/v1/views/:name',
    {
      schema: {
        tags,
        summary: 'Drop a view',
        params: NameParams,
        response: { 204: Type.Null(), '4xx': ErrorAnswer },
      },
    },
    async (request, reply) => {
      await views.drop(request.params.name)
      return await reply.code(204).send(null)
    },
  )
}
