/** Routes for operators: health and metrics. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Metrics } from '../../service/metrics.ts'

export interface OperationRoutesOptions {
  readonly metrics: Metrics
}

export const operationRoutes: FastifyPluginAsyncTypebox<OperationRoutesOptions> = async (app, { metrics }) => {
  const tags = ['operations']

  app.get(
    '/healthz',
    { schema: { tags, summary: 'The process lives', response: { 200: Type.Object({ status: Type.String() }) } } },
    async () => ({
      status: 'ok',
    }),
  )

  app.get(
    '/readyz',
    {
      schema: {
        tags,
        summary: 'Queries and changes are served',
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    // the service listens once it is ready, and answers shutting_down to every request from the stop on
    () => ({ status: 'ready' }),
  )

  app.get(
    '/metrics',
    { schema: { tags, summary: 'Prometheus metrics', produces: ['text/plain'] } },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()),
  )
}
