/** Owns a service whose one rollup holds a wanted number of groups, filled from a topic; and how it takes what comes behind them. */
import { createDataFolder, type RunningService, startRollupd } from '../../test/support/running-service.ts'
import { createTopic, type EventSource, fillTopic } from './fill-topic.ts'
import { ProcessTreeMeter } from './process-tree.ts'
import { waitForEnd } from './run-to-end.ts'

const PARTITIONS = 4
const START_MS_MAX = 120_000
const POLL_MS = 5
export const ROLLUP = 'bench'

export interface LeafTask {
  readonly cli: string
  /** Address of the broker. */
  readonly kafka: string
  readonly topic: string
  readonly statement: string
  /** A new group each. */
  readonly nextEvent: EventSource
  readonly groups: number
  /** Sampling the memory of all processes takes a tenth of the machine: not where latency is measured. */
  readonly isMemoryMeasured: boolean
}

type DataFolder = ReturnType<typeof createDataFolder>

export class FilledLeaf {
  readonly #task: LeafTask
  readonly #data: DataFolder
  #service: RunningService
  #meter: ProcessTreeMeter | undefined
  #peakBytes = 0
  #records = 0

  private constructor(task: LeafTask, data: DataFolder, service: RunningService) {
    this.#task = task
    this.#data = data
    this.#service = service
    this.#measureMemory()
  }

  /** With everything read and committed. Caller stops it. */
  static async create(task: LeafTask): Promise<FilledLeaf> {
    const { kafka, cli, topic, groups, statement } = task
    await createTopic(kafka, topic, PARTITIONS)
    const data = createDataFolder()
    const leaf = new FilledLeaf(task, data, await startRollupd({ data: data.path, kafka, cli }))
    try {
      await leaf.service.createRollup(ROLLUP, statement, topic)
      // read while it is filled
      await leaf.#produce(groups)
      await waitForEnd(leaf.service, ROLLUP, groups)
      return leaf
    } catch (error) {
      await leaf.stop()
      throw error
    }
  }

  get service(): RunningService {
    return this.#service
  }

  /** Of all its processes since it was created, as the sum of their proportional set sizes. */
  get peakBytes(): number {
    return Math.max(this.#peakBytes, this.#meter?.cost.peakBytes ?? 0)
  }

  /** Seconds until as many new groups are read and committed: all of their records are in the topic before it begins. */
  async add(count: number): Promise<number> {
    await this.service.api.call('POST', `/v1/rollups/${ROLLUP}/pause`)
    await this.#produce(count)
    await this.service.api.call('POST', `/v1/rollups/${ROLLUP}/resume`)
    const startedAtMs = performance.now()
    await waitForEnd(this.service, ROLLUP, this.#records)
    const seconds = (performance.now() - startedAtMs) / 1000
    const { groups, counts } = await this.service.rollup(ROLLUP)
    if (groups !== this.#records) throw new Error(`${groups} groups of ${this.#records}: ${JSON.stringify(counts)}`)
    return seconds
  }

  /**
   * Kills it, and starts it again with new records in the topic. Caller gets milliseconds from the start of the process to an answer of the
   * query, and to the first of the new records in the leaf.
   */
  async restart(sql: string, newRecords: number): Promise<{ queryMs: number; ingestMs: number }> {
    this.#peakBytes = this.peakBytes
    this.#meter?.end()
    await this.service.kill()
    const before = this.#records
    await this.#produce(newRecords)
    const startedAtMs = performance.now()
    const { kafka, cli } = this.#task
    this.#service = await startRollupd({ data: this.#data.path, kafka, cli })
    this.#measureMemory()
    const [queryMs, ingestMs] = await Promise.all([
      untilTrue(async () => (await this.service.query(sql)).row_count > 0),
      untilTrue(async () => (await this.#readRecords()) > before),
    ])
    await waitForEnd(this.service, ROLLUP, this.#records)
    return { queryMs: queryMs - startedAtMs, ingestMs: ingestMs - startedAtMs }
  }

  async stop(): Promise<void> {
    this.#meter?.end()
    await this.service.stop()
    this.#data.remove()
  }

  #measureMemory(): void {
    if (this.#task.isMemoryMeasured) this.#meter = new ProcessTreeMeter(this.#service.process.pid ?? 0)
  }

  async #produce(count: number): Promise<void> {
    const { kafka, topic, nextEvent } = this.#task
    await fillTopic({ bootstrap: kafka, topic, count, nextEvent })
    this.#records += count
  }

  async #readRecords(): Promise<number> {
    const { shards } = await this.service.rollup(ROLLUP)
    return shards.reduce((sum, shard) => sum + shard.next_offset, 0)
  }
}

/** When it was seen to hold. */
async function untilTrue(ask: () => Promise<boolean>): Promise<number> {
  const deadlineMs = performance.now() + START_MS_MAX
  while (!(await ask().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${START_MS_MAX} ms of the start`)
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS)
    })
  }
  return performance.now()
}
