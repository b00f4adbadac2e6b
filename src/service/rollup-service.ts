/**
 * Owns the life of rollups: create, pause, resume, drop, prune, and going on after a start. The leaf stores, the ingest thread
 * reads; this decides. Operations on one rollup run one after the other.
 */
import { RollupdError } from '../core/errors.ts'
import { type HaltReason, type Shard, toShardKey } from '../core/shard.ts'
import type { OnError, OnLoss } from '../core/policy.ts'
import type { AsyncLeaf } from '../leaf/async-leaf.ts'
import type { StoredDeadLetter, StoredRollup } from '../leaf/leaf-store.ts'
import type { PlanStatement } from '../planner/plan-rollup.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { RecordSource, Topic } from '../tailer/record-source.ts'
import type { CommittedBatch, ShardReport } from '../tailer/ingest-events.ts'
import { ACCEPTABLE_CODES, decideHalts, LOSS_CODES } from './halted-shards.ts'
import { checkName } from './catalog-name.ts'
import { findTopic } from './find-topic.ts'
import type { IngestControl, IngestControlEvents } from './ingest-control.ts'
import { Progress } from './progress.ts'
import { type RollupAnswer, toRollupAnswer } from './rollup-answer.ts'
import { resolveStart, type Start } from './start-position.ts'
import type { ServiceEvents } from './service-events.ts'

interface TopicSource {
  readonly topic: string
  readonly start?: Start
}

export interface CreateRollupRequest {
  readonly name: string
  readonly sql: string
  readonly source: TopicSource | { readonly rollup: string }
  readonly on_error?: OnError
  readonly on_loss?: OnLoss
  readonly indexes?: readonly (readonly string[])[]
}

export interface RollupServiceOptions {
  readonly leaf: AsyncLeaf
  readonly ingest: IngestControl
  readonly source: RecordSource
  readonly planRollup: PlanStatement
  readonly events: ServiceEvents
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface PrunedShard {
  readonly topic_id: string
  readonly partition: number
  readonly start_offset: number
  readonly next_offset: number
}

export class RollupService implements IngestControlEvents {
  readonly progress = new Progress()
  readonly #options: RollupServiceOptions
  /** The end of each rollup's queue of operations, by name. */
  readonly #queues = new Map<string, Promise<unknown>>()
  /** Halts that the leaf couldn't store: a full disk refuses that too. */
  readonly #unstoredHalts = new Map<number, HaltReason>()
  /** High watermarks from the creation or before a pause, until the ingest thread has its own. */
  readonly #firstReports = new Map<number, readonly ShardReport[]>()

  constructor(options: RollupServiceOptions) {
    this.#options = options
  }

  /** Goes on with every stored rollup that was running. */
  async recover(): Promise<void> {
    for (const rollup of await this.#listReaders()) {
      this.#rememberPositions(rollup)
      if (rollup.status === 'running') await this.#options.ingest.start(rollup)
      else if (rollup.reason?.code === 'disk_full') await this.#restart(rollup.name)
    }
  }

  /** Errors: sql_*, already_exists, unknown_topic, start_out_of_range, bad_parameter, broker_away. */
  async create(request: CreateRollupRequest): Promise<RollupAnswer> {
    const { name, source } = request
    checkName('rollup', name)
    return await this.#exclusively(name, async () => {
      if ('rollup' in source) return await this.#createFollower(request, source.rollup)
      return await this.#createReader(request, source)
    })
  }

  async #createReader(request: CreateRollupRequest, source: TopicSource): Promise<RollupAnswer> {
    const { name, sql } = request
    const { leaf, ingest, planRollup } = this.#options
    const plan = planRollup(sql)
    if ((await leaf.findRollup(name)) !== undefined) throw alreadyExists(name)
    const topic = await findTopic(this.#options.source, source.topic)
    const start = source.start ?? 'earliest'
    const rollup = await leaf.createRollup({
      name,
      plan,
      topic: topic.name,
      start,
      onError: request.on_error ?? 'dead_letter',
      onLoss: request.on_loss ?? 'halt',
      indexes: request.indexes ?? [],
      shards: await resolveStart(this.#options.source, topic, start),
    })
    this.#rememberPositions(rollup)
    this.#firstReports.set(rollup.id, toFirstReports(topic))
    await ingest.start(rollup)
    return this.#toAnswer(rollup)
  }

  /** Nothing is read for it: the leaf brings it what its source gets. */
  async #createFollower(request: CreateRollupRequest, sourceName: string): Promise<RollupAnswer> {
    const { name, sql } = request
    const { leaf, planRollup } = this.#options
    for (const option of ['on_error', 'on_loss'] as const) {
      if (request[option] === undefined) continue
      throw new RollupdError('bad_parameter', `${option} goes with a topic, not with a rollup as the source`, {
        hint: 'No records are read: an expression that fails is NULL.',
      })
    }
    const source = await this.find(sourceName)
    const plan = planRollup(sql, source)
    if ((await leaf.findRollup(name)) !== undefined) throw alreadyExists(name)
    const rollup = await leaf.createRollup({
      name,
      plan,
      topic: source.topic,
      start: null,
      onError: 'null',
      onLoss: source.onLoss,
      indexes: request.indexes ?? [],
      shards: [],
      sourceId: source.id,
    })
    return this.#toAnswer(rollup)
  }

  async list(): Promise<RollupAnswer[]> {
    return (await this.#options.leaf.listRollups()).map((rollup) => this.#toAnswer(rollup))
  }

  /** Those that read a topic. */
  async #listReaders(): Promise<StoredRollup[]> {
    return (await this.#options.leaf.listRollups()).filter((rollup) => rollup.source === undefined)
  }

  /** Errors: unknown_rollup. */
  async get(name: string): Promise<RollupAnswer> {
    return this.#toAnswer(await this.find(name))
  }

  /** Errors: unknown_rollup, naming the nearest. */
  async find(name: string): Promise<StoredRollup> {
    const rollup = await this.#options.leaf.findRollup(name)
    if (rollup !== undefined) return rollup
    const names = (await this.#options.leaf.listRollups()).map((known) => known.name)
    throw new RollupdError('unknown_rollup', `rollup "${name}" does not exist`, {
      hint: didYouMean(name, names),
    })
  }

  /** Errors: unknown_rollup, conflict for a rollup of a rollup. */
  async #findReader(name: string): Promise<StoredRollup> {
    const rollup = await this.find(name)
    if (rollup.source === undefined) return rollup
    throw new RollupdError('conflict', `rollup "${name}" reads no topic: it follows rollup "${rollup.source.name}"`, {
      hint: `Pause, resume or prune rollup "${rollup.source.name}" instead.`,
    })
  }

  /** Errors: unknown_rollup, rollup_in_use. */
  async drop(name: string): Promise<void> {
    await this.#exclusively(name, async () => {
      const { id } = await this.find(name)
      // first the leaf: whatever the ingest thread still commits is then refused as gone
      await this.#options.leaf.dropRollup(name)
      await this.#options.ingest.stop(id)
      this.progress.forget(id)
      this.#unstoredHalts.delete(id)
      this.#firstReports.delete(id)
    })
  }

  async pause(name: string): Promise<RollupAnswer> {
    return await this.#exclusively(name, async () => {
      const { id } = await this.#findReader(name)
      await this.#whileStopped(name, async () => await this.#options.leaf.setStatus(id, 'paused'))
      return await this.get(name)
    })
  }

  /** Errors: unknown_rollup, bad_parameter for a code that can't be accepted, broker_away. */
  async resume(name: string, accept: readonly string[]): Promise<RollupAnswer> {
    for (const code of accept) {
      if ((ACCEPTABLE_CODES as readonly string[]).includes(code)) continue
      throw new RollupdError('bad_parameter', `code "${code}" can't be accepted`, {
        hint: `These can: ${ACCEPTABLE_CODES.join(', ')}.`,
      })
    }
    return await this.#exclusively(name, async () => {
      await this.#resume(await this.#findReader(name), new Set(accept))
      return await this.get(name)
    })
  }

  async #resume(rollup: StoredRollup, accepted: ReadonlySet<string>): Promise<void> {
    const { leaf, source } = this.#options
    await this.#whileStopped(rollup.name, async (stopped) => {
      const decision = await decideHalts(stopped, accepted, source)
      for (const { shard, change, warning } of decision.changes) {
        await leaf.changeShard(rollup.id, shard, change, warning)
      }
      if (decision.added.length > 0) await leaf.addShards(rollup.id, decision.added, decision.warning)
    })
    await this.#restart(rollup.name)
  }

  /** Stops reading for a change. Stopping may store more: the change gets what is there then. Where it fails, reading goes on as before. */
  async #whileStopped(name: string, change: (stopped: StoredRollup) => Promise<void>): Promise<void> {
    const { ingest } = this.#options
    await ingest.stop((await this.find(name)).id)
    const stopped = await this.find(name)
    try {
      await change(stopped)
    } catch (error) {
      if (stopped.status === 'running') await ingest.start(await this.find(name))
      throw error
    }
  }

  async #restart(name: string): Promise<void> {
    const { leaf, ingest } = this.#options
    const { id } = await this.find(name)
    await leaf.setStatus(id, 'running')
    // not before: where that fails, the rollup is still halted
    this.#unstoredHalts.delete(id)
    const rollup = await this.find(name)
    this.#rememberPositions(rollup)
    // what was last heard stands in until the first fetch has answered
    const heard = withFirstReports(ingest.report(id), this.#firstReports.get(id) ?? [])
    this.#firstReports.set(id, heard.map(toWaiting))
    await ingest.start(rollup)
  }

  /** Positions of shards that can't get records any more. Errors: unknown_rollup, broker_away. */
  async prune(name: string, isDryRun: boolean): Promise<PrunedShard[]> {
    return await this.#exclusively(name, async () => {
      const rollup = await this.#findReader(name)
      const topic = await this.#options.source.findTopic(rollup.topic)
      const ended = rollup.shards.filter((shard) => shard.closed || shard.shard.topicId !== topic?.id)
      if (!isDryRun && ended.length > 0) {
        const pruned = ended.map(({ shard }) => shard)
        await this.#whileStopped(name, async () => await this.#options.leaf.pruneShards(rollup.id, pruned))
        if (rollup.status === 'running') await this.#restart(name)
      }
      return ended.map(({ shard, startOffset, nextOffset }) => ({
        topic_id: shard.topicId,
        partition: shard.partition,
        start_offset: startOffset,
        next_offset: nextOffset,
      }))
    })
  }

  /** Oldest first, ids above `after`. Errors: unknown_rollup. */
  async listDeadLetters(name: string, limit: number, after: number): Promise<StoredDeadLetter[]> {
    const { id } = await this.find(name)
    return await this.#options.leaf.listDeadLetters(id, limit, after)
  }

  /**
   * Partitions that a topic got are read from their start, and losses that a policy accepts are decided on where that failed
   * before. Called every few seconds. Errors: broker_away.
   */
  async watchTopics(): Promise<void> {
    const rollups = (await this.#listReaders()).filter((rollup) => rollup.status === 'running')
    for (const { name } of rollups) await this.#decideAgain(name)
    const topics = new Map<string, Topic | undefined>()
    for (const { topic } of rollups) {
      if (!topics.has(topic)) topics.set(topic, await this.#options.source.findTopic(topic))
    }
    for (const { name, topic } of rollups) {
      const present = topics.get(topic)
      if (present !== undefined) await this.#exclusively(name, () => this.#addPartitions(name, present))
    }
  }

  async #addPartitions(name: string, topic: Topic): Promise<void> {
    const rollup = await this.#options.leaf.findRollup(name)
    if (rollup?.status !== 'running') return
    const open = rollup.shards.filter((shard) => !shard.closed)
    // a topic made again is for a person or the policy to decide on
    if (open.some((shard) => shard.shard.topicId !== topic.id)) return
    const known = new Set(rollup.shards.map((shard) => toShardKey(shard.shard)))
    const added = topic.partitions
      .map(({ partition, startOffset }) => ({ shard: { topicId: topic.id, partition }, startOffset }))
      .filter(({ shard }) => !known.has(toShardKey(shard)))
    if (added.length === 0) return
    await this.#options.leaf.addShards(rollup.id, added)
    await this.#options.ingest.addShards(
      rollup.id,
      added.map(({ shard, startOffset }) => ({ shard, nextOffset: startOffset, leaderEpoch: -1 })),
    )
  }

  // what the ingest thread tells

  committed(rollupId: number, batch: CommittedBatch): void {
    this.progress.advance(rollupId, batch.positions)
    this.#options.events.committed(batch)
  }

  shardHalted(rollupId: number, shard: Shard, reason: HaltReason, nextOffset: number): void {
    this.#options.events.background(this.#storeShardHalt(rollupId, shard, reason, nextOffset))
  }

  rollupHalted(rollupId: number, reason: HaltReason): void {
    this.#unstoredHalts.set(rollupId, reason)
    this.#options.events.halted(reason)
    this.#options.events.background(this.#storeRollupHalt(rollupId, reason))
  }

  async #storeShardHalt(rollupId: number, shard: Shard, reason: HaltReason, nextOffset: number): Promise<void> {
    const { leaf, events } = this.#options
    const name = (await leaf.listRollups()).find((rollup) => rollup.id === rollupId)?.name
    if (name === undefined) return
    await this.#exclusively(name, async () => {
      const rollup = await leaf.findRollup(name)
      if (rollup?.id !== rollupId || rollup.status !== 'running') return
      const stored = rollup.shards.find((one) => !one.closed && toShardKey(one.shard) === toShardKey(shard))
      // it was decided on another shard's halt meanwhile, and reading has gone on: this one is history
      if (stored?.nextOffset !== nextOffset) return
      events.halted(reason)
      await leaf.changeShard(rollupId, shard, { kind: 'halt', reason })
      await this.#decideByPolicy(name)
    })
  }

  async #decideAgain(name: string): Promise<void> {
    try {
      await this.#exclusively(name, () => this.#decideByPolicy(name))
    } catch (error) {
      // made again, then deleted again: there is nothing to go on with yet
      if (!(error instanceof RollupdError) || error.code !== 'unknown_topic') throw error
    }
  }

  async #decideByPolicy(name: string): Promise<void> {
    const rollup = await this.#options.leaf.findRollup(name)
    if (rollup?.status !== 'running' || rollup.onLoss !== 'accept') return
    const codes = new Set<string>(LOSS_CODES)
    const isLoss = rollup.shards.some(({ closed, halt }) => !closed && halt !== undefined && codes.has(halt.code))
    if (isLoss) await this.#resume(rollup, codes)
  }

  async #storeRollupHalt(rollupId: number, reason: HaltReason): Promise<void> {
    try {
      await this.#options.leaf.setStatus(rollupId, 'halted', reason)
      this.#unstoredHalts.delete(rollupId)
    } catch (error) {
      // the halt is shown all the same, and a restart finds the full disk again
      if (!(error instanceof RollupdError)) throw error
    }
  }

  #rememberPositions(rollup: StoredRollup): void {
    this.progress.advance(
      rollup.id,
      rollup.shards.filter((shard) => !shard.closed),
    )
  }

  #toAnswer(rollup: StoredRollup): RollupAnswer {
    const id = rollup.source?.topId ?? rollup.id
    return toRollupAnswer({
      rollup,
      reports: withFirstReports(this.#options.ingest.report(id), this.#firstReports.get(id) ?? []),
      halt: this.#unstoredHalts.get(id),
      nowMs: this.#options.now(),
    })
  }

  /** One operation on a rollup at a time: a resume during a drop would read into tables that go. */
  async #exclusively<T>(name: string, operation: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name) ?? Promise.resolve()
    const running = before.then(operation, operation)
    const settled = running.then(
      () => undefined,
      () => undefined,
    )
    this.#queues.set(name, settled)
    try {
      return await running
    } finally {
      if (this.#queues.get(name) === settled) this.#queues.delete(name)
    }
  }
}

function alreadyExists(name: string): RollupdError {
  return new RollupdError('already_exists', `rollup "${name}" exists already`, {
    hint: `Drop it first (DELETE /v1/rollups/${name}), or choose another name.`,
  })
}

function toFirstReports(topic: Topic): ShardReport[] {
  return topic.partitions.map(({ partition, endOffset }) => ({
    shard: { topicId: topic.id, partition },
    status: 'waiting',
    highWatermark: endOffset,
    isBlockedByTransaction: false,
    lastTimestampMs: -1,
  }))
}

function toWaiting({ shard, highWatermark, isBlockedByTransaction, lastTimestampMs }: ShardReport): ShardReport {
  return { shard, status: 'waiting', highWatermark, isBlockedByTransaction, lastTimestampMs }
}

/** The creation's high watermarks stand in until the first fetch has answered. */
function withFirstReports(reports: readonly ShardReport[], first: readonly ShardReport[]): ShardReport[] {
  const firstByShard = new Map(first.map((report) => [toShardKey(report.shard), report]))
  const known = reports.map((report) =>
    report.highWatermark === null
      ? { ...report, highWatermark: firstByShard.get(toShardKey(report.shard))?.highWatermark ?? null }
      : report,
  )
  return known.length > 0 ? known : [...first]
}
