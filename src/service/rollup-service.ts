/**
 * Owns the life of rollups: create, pause, resume, drop, prune, and going on after a start. The leaf stores, the ingest thread
 * reads; this decides. Operations on one rollup run one after the other.
 */
import { RollupdError } from '../core/errors.ts'
import { type HaltReason, type Shard, toShardKey } from '../core/shard.ts'
import type { AsyncLeaf } from '../leaf/async-leaf.ts'
import type { StoredDeadLetter, StoredRollup } from '../leaf/leaf-store.ts'
import type { PlanStatement } from '../planner/plan-rollup.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { RecordSource, Topic } from '../tailer/record-source.ts'
import type { CommittedBatch } from '../tailer/ingest-events.ts'
import { findEndedShards, findNewPartitions, type PrunedShard, toPrunedShard } from './shard-changes.ts'
import { ACCEPTABLE_CODES, decideHalts, LOSS_CODES } from './halted-shards.ts'
import { checkName } from './catalog-name.ts'
import { ExclusiveQueues } from './exclusive-queues.ts'
import { FirstReports } from './first-reports.ts'
import type { IngestControl, IngestControlEvents } from './ingest-control.ts'
import { Progress } from './progress.ts'
import { type RollupAnswer, toRollupAnswer } from './rollup-answer.ts'
import {
  type CreateRollupRequest,
  defineFollower,
  defineReader,
  refuseReaderOptions,
  type TopicSource,
} from './rollup-definition.ts'
import type { ServiceEvents } from './service-events.ts'

export interface RollupServiceOptions {
  readonly leaf: AsyncLeaf
  readonly ingest: IngestControl
  readonly source: RecordSource
  readonly planRollup: PlanStatement
  readonly events: ServiceEvents
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export class RollupService implements IngestControlEvents {
  readonly progress = new Progress()
  readonly #options: RollupServiceOptions
  /** One operation on a rollup at a time: a resume during a drop would read into tables that go. */
  readonly #queues = new ExclusiveQueues()
  /** Halts that the leaf couldn't store: a full disk refuses that too. */
  readonly #unstoredHalts = new Map<number, HaltReason>()
  readonly #firstReports = new FirstReports()

  constructor(options: RollupServiceOptions) {
    this.#options = options
  }

  /**
   * Goes on with every stored rollup that was running: its state is known when this returns, and it is read from when `mayRead` resolves.
   * What is asked of it before that waits too.
   */
  async recover(mayRead: Promise<void>): Promise<void> {
    for (const rollup of await this.#listReaders()) {
      this.#rememberPositions(rollup)
      this.#options.events.background(this.#queues.run(rollup.name, () => this.#goOn(rollup, mayRead)))
    }
  }

  async #goOn(rollup: StoredRollup, mayRead: Promise<void>): Promise<void> {
    await mayRead
    if (rollup.status === 'running') await this.#options.ingest.start(rollup)
    else if (rollup.reason?.code === 'disk_full') await this.#restart(rollup.name)
  }

  /** Errors: sql_*, already_exists, unknown_topic, start_out_of_range, bad_parameter, broker_away. */
  async create(request: CreateRollupRequest): Promise<RollupAnswer> {
    const { name, source } = request
    checkName('rollup', name)
    return await this.#queues.run(name, async () => {
      if ('rollup' in source) return await this.#createFollower(request, source.rollup)
      return await this.#createReader(request, source)
    })
  }

  async #createReader(request: CreateRollupRequest, source: TopicSource): Promise<RollupAnswer> {
    const { leaf, ingest, planRollup } = this.#options
    const plan = planRollup(request.sql)
    await this.#refuseTaken(request.name)
    const { topic, definition } = await defineReader(request, source, plan, this.#options.source)
    const rollup = await leaf.createRollup(definition)
    this.#rememberPositions(rollup)
    this.#firstReports.start(rollup.id, topic)
    await ingest.start(rollup)
    return this.#toAnswer(rollup)
  }

  /** Nothing is read for it: the leaf brings it what its source gets. */
  async #createFollower(request: CreateRollupRequest, sourceName: string): Promise<RollupAnswer> {
    refuseReaderOptions(request)
    const source = await this.find(sourceName)
    const plan = this.#options.planRollup(request.sql, source)
    await this.#refuseTaken(request.name)
    return this.#toAnswer(await this.#options.leaf.createRollup(defineFollower(request, source, plan)))
  }

  async #refuseTaken(name: string): Promise<void> {
    if ((await this.#options.leaf.findRollup(name)) === undefined) return
    throw new RollupdError('already_exists', `rollup "${name}" exists already`, {
      hint: `Drop it first (DELETE /v1/rollups/${name}), or choose another name.`,
    })
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
    await this.#queues.run(name, async () => {
      const { id } = await this.find(name)
      // first the leaf: whatever the ingest thread still commits is then refused as gone
      await this.#options.leaf.dropRollup(name)
      await this.#options.ingest.stop(id)
      this.progress.forget(id)
      this.#unstoredHalts.delete(id)
      this.#firstReports.forget(id)
    })
  }

  async pause(name: string): Promise<RollupAnswer> {
    return await this.#queues.run(name, async () => {
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
    return await this.#queues.run(name, async () => {
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
    this.#firstReports.keep(id, ingest.report(id))
    await ingest.start(rollup)
  }

  /** Positions of shards that can't get records any more. Errors: unknown_rollup, broker_away. */
  async prune(name: string, isDryRun: boolean): Promise<PrunedShard[]> {
    return await this.#queues.run(name, async () => {
      const rollup = await this.#findReader(name)
      const topic = await this.#options.source.findTopic(rollup.topic)
      const ended = findEndedShards(rollup, topic)
      if (!isDryRun && ended.length > 0) {
        const pruned = ended.map(({ shard }) => shard)
        await this.#whileStopped(name, async () => await this.#options.leaf.pruneShards(rollup.id, pruned))
        if (rollup.status === 'running') await this.#restart(name)
      }
      return ended.map(toPrunedShard)
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
      if (present !== undefined) await this.#queues.run(name, () => this.#addPartitions(name, present))
    }
  }

  async #addPartitions(name: string, topic: Topic): Promise<void> {
    const rollup = await this.#options.leaf.findRollup(name)
    if (rollup?.status !== 'running') return
    const open = rollup.shards.filter((shard) => !shard.closed)
    // a topic made again is for a person or the policy to decide on
    if (open.some((shard) => shard.shard.topicId !== topic.id)) return
    const added = findNewPartitions(rollup, topic)
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

  restartWanted(rollupId: number): void {
    this.#options.events.background(this.#readAgain(rollupId))
  }

  shardHalted(rollupId: number, shard: Shard, reason: HaltReason, nextOffset: number): void {
    this.#options.events.background(this.#storeShardHalt(rollupId, shard, reason, nextOffset))
  }

  rollupHalted(rollupId: number, reason: HaltReason): void {
    this.#unstoredHalts.set(rollupId, reason)
    this.#options.events.halted(reason)
    this.#options.events.background(this.#storeRollupHalt(rollupId, reason))
  }

  async #readAgain(rollupId: number): Promise<void> {
    const name = await this.#nameOf(rollupId)
    if (name === undefined) return
    await this.#queues.run(name, async () => {
      const { leaf, ingest } = this.#options
      if ((await leaf.findRollup(name))?.id !== rollupId) return
      await ingest.stop(rollupId)
      const stopped = await leaf.findRollup(name)
      if (stopped?.status !== 'running' || this.#unstoredHalts.has(rollupId)) return
      this.#firstReports.keep(rollupId, ingest.report(rollupId))
      await ingest.start(stopped)
    })
  }

  async #nameOf(rollupId: number): Promise<string | undefined> {
    return (await this.#options.leaf.listRollups()).find((rollup) => rollup.id === rollupId)?.name
  }

  async #storeShardHalt(rollupId: number, shard: Shard, reason: HaltReason, nextOffset: number): Promise<void> {
    const { leaf, events } = this.#options
    const name = await this.#nameOf(rollupId)
    if (name === undefined) return
    await this.#queues.run(name, async () => {
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
      await this.#queues.run(name, () => this.#decideByPolicy(name))
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
      reports: this.#firstReports.complete(id, this.#options.ingest.report(id)),
      halt: this.#unstoredHalts.get(id),
      nowMs: this.#options.now(),
    })
  }
}
