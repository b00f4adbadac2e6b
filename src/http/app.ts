/** Owns the HTTP application: its plugins, hooks and routes. It starts no server by itself, so that tests can inject requests. */
import { timingSafeEqual } from 'node:crypto'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { RollupdError } from '../core/errors.ts'
import type { Metrics } from '../service/metrics.ts'
import type { FencedQueries } from '../service/fenced-queries.ts'
import type { RollupService } from '../service/rollup-service.ts'
import type { PreviewClient } from '../service/preview/preview-client.ts'
import type { TopicService } from '../service/topic-service.ts'
import type { ViewService } from '../service/view-service.ts'
import { answerBrokenRequest, sendError, sendNotFound } from './error-answers.ts'
import { parseJsonBody } from './json-body.ts'
import { watchMethods } from './method-refusals.ts'
import { previewRoutes } from './routes/preview-routes.ts'
import { operationRoutes } from './routes/operation-routes.ts'
import { queryRoutes } from './routes/query-routes.ts'
import { recordRoutes } from './routes/record-routes.ts'
import { rollupRoutes } from './routes/rollup-routes.ts'
import { topicRoutes } from './routes/topic-routes.ts'
import { viewRoutes } from './routes/view-routes.ts'
import { compileSerializer, createValidatorCompiler } from './schema-compilers.ts'

export interface AppOptions {
  readonly rollups: RollupService
  readonly views: ViewService
  readonly previews: PreviewClient
  readonly topics: TopicService
  readonly queries: FencedQueries
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly version: string
  /** Every request but health checks must bring it; undefined: none is asked for. */
  readonly token: string | undefined
  readonly bodyBytesMax: number
  readonly statementCharactersMax: number
}

/** A client that keeps a connection open without a request must not hold up a stop. */
const KEEP_ALIVE_MS = 5000
/** A body of the largest size over a slow line takes less; nobody may hold a connection longer by sending little. */
const REQUEST_MS_MAX = 300_000
/** Characters of a name in a path; the longest that can exist, a topic's, has 249. */
const NAME_LENGTH_MAX = 300
const OPEN_PATHS = new Set(['/healthz', '/readyz'])

/** Of the HTTP library; others start and stop it. */
export type App = FastifyInstance

export async function buildApp(options: AppOptions): Promise<App> {
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyBytesMax,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: REQUEST_MS_MAX,
    routerOptions: { maxParamLength: NAME_LENGTH_MAX },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(createValidatorCompiler())
  app.setSerializerCompiler(compileSerializer)
  app.setErrorHandler((error, request, reply) => sendError(error as RollupdError, request, reply))
  app.setNotFoundHandler(sendNotFound)
  if (options.token !== undefined) requireToken(app, options.token)
  refuseWhenClosing(app)
  readBodies(app)

  await app.register(swagger, {
    openapi: {
      info: { title: 'rollupd', version: options.version, description: 'Live SQL rollups over Kafka topics' },
      ...(options.token === undefined
        ? {}
        : {
            components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
            security: [{ token: [] }],
          }),
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })
  const refuseOtherMethods = watchMethods(app)
  const { rollups, views, previews, topics, queries, metrics, statementCharactersMax } = options
  await app.register(rollupRoutes, { rollups, statementCharactersMax })
  await app.register(viewRoutes, { views, statementCharactersMax })
  await app.register(previewRoutes, { previews, statementCharactersMax })
  await app.register(topicRoutes, { topics })
  await app.register(recordRoutes, { topics })
  await app.register(queryRoutes, { queries, statementCharactersMax })
  await app.register(operationRoutes, { metrics })
  app.get(
    '/openapi.json',
    { schema: { tags: ['operations'], summary: 'This document' } },
    async () => app.swagger() as never,
  )
  refuseOtherMethods()
  return app
}

/** Its own answer would have another shape than all other errors. */
function refuseWhenClosing(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', async () => {
    if (isClosing) throw new RollupdError('shutting_down', 'the service is shutting down')
  })
}

function readBodies(app: FastifyInstance): void {
  // compressed bytes taken for records would be kept as such
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() !== 'identity') {
      throw new RollupdError('unsupported_media_type', `content encoding "${encoding}" is not taken`, {
        hint: 'Send the body as it is.',
      })
    }
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as RollupdError)
    }
  })
  // some clients name a type although they send nothing
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else done(refuseType(request.headers['content-type']))
  })
}

function refuseType(type: string | undefined): RollupdError {
  const found = type === undefined ? 'the body has no content type' : `content type "${type}" is not taken here`
  return new RollupdError('unsupported_media_type', found, {
    hint: 'Send application/json, or application/x-ndjson for records.',
  })
}

function requireToken(app: Pick<FastifyInstance, 'addHook'>, token: string): void {
  const expected = Buffer.from(`Bearer ${token}`)
  app.addHook('onRequest', async (request) => {
    if (OPEN_PATHS.has(request.url.split('?')[0] ?? '')) return
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length === expected.length && timingSafeEqual(given, expected)) return
    throw new RollupdError('unauthorized', 'the bearer token is missing or wrong', {
      hint: 'Send the header authorization: Bearer with the token of ROLLUPD_TOKEN.',
    })
  })
}
