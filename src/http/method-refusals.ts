/** Owns the answer to a method that a path doesn't take: 405 with the methods that it does. */
import type { FastifyInstance, RouteOptions } from 'fastify'
import { RollupdError } from '../core/errors.ts'

type Method = (typeof METHODS)[number]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Watches the routes that are registered from now on. Caller calls the function it gets when all of them are. */
export function watchMethods(app: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }: RouteOptions) => {
    const methods = methodsByUrl.get(url) ?? new Set<string>()
    for (const one of [method].flat()) methods.add(one)
    methodsByUrl.set(url, methods)
  })
  return () => {
    for (const [url, methods] of [...methodsByUrl]) refuseOthers(app, url, methods)
  }
}

function refuseOthers(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const others = METHODS.filter((method: Method) => !methods.has(method))
  if (others.length === 0) return
  const allowed = [...methods].toSorted().join(', ')
  app.route({
    method: others,
    url,
    schema: { hide: true },
    // before a body is read: whatever it is, it isn't wanted
    onRequest: async (request, reply) => {
      void reply.header('allow', allowed)
      throw new RollupdError('method_not_allowed', `${request.method} is not allowed on ${request.url.split('?')[0]}`, {
        hint: `It takes ${allowed}.`,
      })
    },
    handler: async () => undefined,
  })
}
