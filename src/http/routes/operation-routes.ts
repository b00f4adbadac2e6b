/** Routes for operators: health and metrics. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Metrics } from '../../service/metrics.ts'

export interface OperationRoutesOptions {
  readonly metrics: Metrics
  /** Undefined: ready; else why not. */
  readonly findUnreadiness: () => string | undefined
}

export const operationRoutes: FastifyPluginAsyncTypebox<OperationRoutesOptions> = async (
  app,
  { metrics, findUnreadiness },
) => {
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
        response: {
          200: Type.Object({ status: Type.String() }),
          503: Type.Object({ status: Type.String(), reason: Type.String() }),
        },
      },
    },
    async (_request, reply) => {
      const reason = findUnreadiness()
      if (reason === undefined) return { status: 'ready' }
      return await reply.code(503).send({ status: 'not ready', reason })
    },
  )

  app.get(
    '/metrics',
    { schema: { tags, summary: 'Prometheus metrics', produces: ['text/plain'] } },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()),
  )
}
