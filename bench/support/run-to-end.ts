/** Owns a run of the built service from an empty data folder until its rollups have read a Kafka topic to its end. */
import { createDataFolder, type RunningService, startRollupd } from '../../test/support/running-service.ts'
import { ProcessTreeMeter } from './process-tree.ts'

const RUN_MS_MAX = 600_000
/** How often the progress is asked for; a run's time is known to half of this. */
const POLL_MS = 60

export interface RunTask {
  readonly cli: string
  readonly kafka: string
  readonly topic: string
  /** Of the topic. */
  readonly records: number
  readonly statements: readonly string[]
}

export interface Run {
  /** From the answer of the first creation until all rollups stand at the end, committed. */
  readonly seconds: number
  /** Of the whole process tree, without what starting it cost. */
  readonly cpuSeconds: number
  /** Peak of the tree's proportional set sizes. */
  readonly peakBytes: number
}

/** Errors: where records are missing at the end. */
export async function runToEnd({ cli, kafka, topic, records, statements }: RunTask): Promise<Run> {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path, kafka, cli })
  const meter = new ProcessTreeMeter(service.process.pid ?? 0)
  try {
    const before = meter.cost.cpuSeconds
    const names = statements.map((_, index) => `bench_${index}`)
    let startedAtMs: number | undefined
    for (const [index, sql] of statements.entries()) {
      await service.createRollup(names[index] ?? '', sql, topic)
      // as the peers, which count from their first record: reading begins with the answer of the creation
      startedAtMs ??= performance.now()
    }
    for (const name of names) await waitForEnd(service, name, records)
    const seconds = (performance.now() - (startedAtMs ?? 0)) / 1000
    const { cpuSeconds, peakBytes } = meter.end()
    for (const name of names) {
      const { counts } = await service.rollup(name)
      if (counts.aggregated + counts.filtered !== records)
        throw new Error(`not all records were counted: ${JSON.stringify(counts)}`)
    }
    return { seconds, cpuSeconds: cpuSeconds - before, peakBytes }
  } finally {
    meter.end()
    await service.stop()
    data.remove()
  }
}

/** Asks seldom: each answer costs the cores a millisecond. */
export async function waitForEnd(service: RunningService, rollup: string, records: number): Promise<void> {
  const deadlineMs = performance.now() + RUN_MS_MAX
  for (;;) {
    const { shards } = await service.rollup(rollup)
    if (shards.reduce((sum, shard) => sum + shard.next_offset, 0) >= records) return
    if (performance.now() > deadlineMs) throw new Error(`not all records within ${RUN_MS_MAX} ms`)
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS)
    })
  }
}
