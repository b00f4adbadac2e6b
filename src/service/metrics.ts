/** Owns the metrics (Prometheus). No label has unbounded values but the rollup's name, which a person gave. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { CONSERVED_COUNTS } from '../core/shard.ts'
import type { CommittedBatch } from '../tailer/ingest-events.ts'
import type { RollupAnswer } from './rollup-answer.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class Metrics {
  readonly #registry = new Registry()
  readonly #commitSeconds: Histogram
  readonly #freshnessSeconds: Histogram
  readonly #querySeconds: Histogram

  /** `listRollups` is asked at each scrape. */
  constructor(listRollups: () => Promise<readonly RollupAnswer[]>) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#commitSeconds = new Histogram({
      name: 'rollupd_commit_seconds',
      help: 'From handing a batch to the leaf until it is stored',
      buckets: SECONDS,
      registers,
    })
    this.#freshnessSeconds = new Histogram({
      name: 'rollupd_freshness_seconds',
      help: "From a record's timestamp until it can be queried",
      buckets: [...SECONDS, 30, 60, 300, 3600],
      registers,
    })
    this.#querySeconds = new Histogram({
      name: 'rollupd_query_seconds',
      help: 'Time of queries, waiting included',
      labelNames: ['outcome'],
      buckets: [...SECONDS, 30, 60],
      registers,
    })
    const records = new Counter({
      name: 'rollupd_records_total',
      help: 'Offsets passed, by what became of them',
      labelNames: ['rollup', 'outcome'],
      registers,
    })
    const lagRecords = new Gauge({
      name: 'rollupd_lag_records',
      help: 'Offsets up to the high watermarks that are not contained yet',
      labelNames: ['rollup'],
      registers,
    })
    const lagSeconds = new Gauge({
      name: 'rollupd_lag_seconds',
      help: 'Age of the last contained record while others wait',
      labelNames: ['rollup'],
      registers,
    })
    const groups = new Gauge({ name: 'rollupd_groups', help: 'Groups stored', labelNames: ['rollup'], registers })
    const shards = new Gauge({
      name: 'rollupd_shards',
      help: 'Shards of all rollups',
      labelNames: ['status'],
      registers,
      // one gauge's collect fills them all: a scrape asks once
      collect: async () => {
        const rollups = await listRollups()
        for (const metric of [records, lagRecords, lagSeconds, groups, shards]) metric.reset()
        for (const status of ['waiting', 'reading', 'halted', 'closed']) shards.set({ status }, 0)
        for (const rollup of rollups) {
          const labels = { rollup: rollup.name }
          groups.set(labels, rollup.groups)
          // what a rollup of a rollup shows beside its groups is its source's, and counted there
          if (rollup.source.rollup !== undefined) continue
          for (const outcome of CONSERVED_COUNTS) records.inc({ ...labels, outcome }, rollup.counts[outcome])
          lagRecords.set(
            labels,
            rollup.shards.reduce((sum, shard) => sum + (shard.lag ?? 0), 0),
          )
          lagSeconds.set(labels, Math.max(0, ...rollup.shards.map((shard) => shard.lag_seconds ?? 0)))
          for (const { status } of rollup.shards) shards.inc({ status })
        }
      },
    })
  }

  observeCommit({ elapsedMs, maxTimestampMs }: CommittedBatch, nowMs: number): void {
    this.#commitSeconds.observe(elapsedMs / 1000)
    if (maxTimestampMs >= 0) this.#freshnessSeconds.observe(Math.max(0, nowMs - maxTimestampMs) / 1000)
  }

  observeQuery(outcome: 'ok' | 'error', elapsedMs: number): void {
    this.#querySeconds.observe({ outcome }, elapsedMs / 1000)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  async render(): Promise<string> {
    // the shards' gauge fills the others, so it goes first
    await this.#registry.getSingleMetricAsString('rollupd_shards')
    return await this.#registry.metrics()
  }
}
