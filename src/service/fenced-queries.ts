/** Owns a query's way: wait for its fence, run it in a query process, measure it; and the end of all of them at a stop. */
import { RollupdError } from '../core/errors.ts'
import type { QueryRequest } from '../query/query-request.ts'
import type { QueryAnswer, QueryService } from '../query/query-service.ts'
import type { Metrics } from './metrics.ts'
import { type AtLeast, waitForOffsets } from './query-fence.ts'
import type { RollupService } from './rollup-service.ts'
import type { ViewService } from './view-service.ts'

export interface FencedQuery extends QueryRequest {
  readonly atLeast?: AtLeast | undefined
}

export class FencedQueries {
  readonly #queries: QueryService
  readonly #rollups: RollupService
  readonly #views: ViewService
  readonly #metrics: Metrics
  /** Of the queries that run or wait. */
  readonly #endings = new Set<AbortController>()

  constructor(queries: QueryService, rollups: RollupService, views: ViewService, metrics: Metrics) {
    this.#queries = queries
    this.#rollups = rollups
    this.#views = views
    this.#metrics = metrics
  }

  /** Errors: those of the fence (query-fence.ts) and of the query. */
  async run(query: FencedQuery, signal: AbortSignal): Promise<QueryAnswer> {
    const ending = new AbortController()
    const end = () => ending.abort(signal.reason)
    signal.addEventListener('abort', end, { once: true })
    this.#endings.add(ending)
    try {
      return await this.#run(query, ending.signal)
    } finally {
      signal.removeEventListener('abort', end)
      this.#endings.delete(ending)
    }
  }

  /** What still runs or waits after this time ends with shutting_down. Returns at once; nothing new may be run. */
  stopWithin(graceMs: number): void {
    const timer = setTimeout(() => {
      for (const ending of this.#endings)
        ending.abort(new RollupdError('shutting_down', 'the service is shutting down'))
    }, graceMs)
    // the queries themselves keep the process
    timer.unref()
  }

  async #run({ atLeast, ...request }: FencedQuery, signal: AbortSignal): Promise<QueryAnswer> {
    const startedAtMs = performance.now()
    try {
      const timeoutMs = this.#queries.resolveTimeout(request.timeoutMs)
      if (atLeast !== undefined) {
        const names = await this.#views.rollupsOf(await this.#queries.rollupsOf(request.sql))
        await waitForOffsets(this.#rollups, names, atLeast, timeoutMs, signal)
      }
      const remainingMs = Math.max(1, timeoutMs - (performance.now() - startedAtMs))
      const answer = await this.#queries.run({ ...request, timeoutMs: remainingMs }, signal)
      this.#metrics.observeQuery('ok', performance.now() - startedAtMs)
      return answer
    } catch (error) {
      this.#metrics.observeQuery('error', performance.now() - startedAtMs)
      throw error
    }
  }
}
