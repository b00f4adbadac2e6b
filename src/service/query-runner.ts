/** Owns a query's way: wait for its fence, run it in a query process, measure it. */
import type { QueryRequest } from '../query/query-request.ts'
import type { QueryAnswer, QueryService } from '../query/query-service.ts'
import type { Metrics } from './metrics.ts'
import { type AtLeast, waitForOffsets } from './query-fence.ts'
import type { RollupService } from './rollup-service.ts'

export interface FencedQuery extends QueryRequest {
  readonly atLeast?: AtLeast | undefined
}

export class QueryRunner {
  readonly #queries: QueryService
  readonly #rollups: RollupService
  readonly #metrics: Metrics

  constructor(queries: QueryService, rollups: RollupService, metrics: Metrics) {
    this.#queries = queries
    this.#rollups = rollups
    this.#metrics = metrics
  }

  /** Errors: those of the fence (query-fence.ts) and of the query. */
  async run({ atLeast, ...request }: FencedQuery, signal: AbortSignal): Promise<QueryAnswer> {
    const startedAtMs = performance.now()
    try {
      const timeoutMs = this.#queries.resolveTimeout(request.timeoutMs)
      if (atLeast !== undefined) {
        const names = await this.#queries.rollupsOf(request.sql)
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
