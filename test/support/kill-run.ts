/**
 * Owns the kill test: rollups over four partitions of a Kafka of its own, their service killed with SIGKILL again and again, some
 * times inside a commit, the broker too. At the end every group must equal the oracle's, and every offset be accounted for.
 */
import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { KafkaLog } from '../../src/adapters/kafka/kafka-log.ts'
import { sumConserved } from '../../src/core/shard.ts'
import { FAIL_POINTS, type FailPointName } from '../../src/leaf/fail-point.ts'
import type { NewRecord } from '../../src/tailer/record-source.ts'
import { type RunningKafka, startKafka } from '../../tools/kafka/kafka-broker.ts'
import { SeededRandom } from '../fuzz/seeded-random.ts'
import { KillEvents, type RecordKind } from './kill-events.ts'
import { askOracle, findDifferences, KILL_SQL, type Row } from './kill-oracle.ts'
import { sumPositions } from './leaf-positions.ts'
import { type RunningService, startRollupd, waitUntil } from './running-service.ts'

const PARTITIONS = 4
const TOPIC = 'views'
/** Of one call of produce. */
const CHUNK = 20_000
/** Each step of a life is waited for so long; a machine that is busy with other work is slow, not dead. */
const STEP_MS_MAX = 120_000
const READ_ALL_MS_MAX = 900_000
/** A kill comes so much after the life's first commit at most, where much is left to be read. */
const KILL_DELAY_MS_MAX = 200
/** Part of the records that is there before the first life: so that lives are cut off while they catch up. */
const FIRST_PART = 0.5
/** Part that is kept for records sent right before a kill. */
const NUDGE_PART = 0.1

export interface KillOptions {
  readonly records: number
  readonly kills: number
  /** Of the kills: those inside a commit. */
  readonly commitKills: number
  readonly brokerKills: number
  readonly seed: number
  readonly onProgress?: (text: string) => void
}

export interface KillReport {
  readonly kills: number
  /** By the point of the commit. */
  readonly commitKills: Readonly<Partial<Record<FailPointName, number>>>
  readonly brokerKills: number
  /** Lives that ended without a commit or without lag; they were repeated. */
  readonly unfitKills: number
  readonly groups: number
  /** What differs from the oracle, from a rollup that was never disturbed, or from law 6; empty: nothing. */
  readonly differences: readonly string[]
  readonly seconds: number
}

interface Life {
  readonly failPoint: FailPointName | undefined
  /** The broker is killed and comes back while the service reads, or is away when the service is killed and when the next one starts. */
  readonly broker: 'stays' | 'restarts' | 'is_away'
}

export async function runKillTest(options: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'rollupd-kill-'))
  const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
  const run = new KillRun(options, kafka, folder)
  try {
    return await run.run()
  } finally {
    await run.close()
    await kafka.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const FOLLOWER_COLUMNS = ['views', 'bytes_sum', 'latency_avg', 'path_max', 'users']
const FOLLOWER_SQL = `SELECT country, ${FOLLOWER_COLUMNS.map((column) => `MEASURE(${column})`).join(', ')} FROM killed GROUP BY country`

/** Read in one pass with the killed one, over the same fields: what is a dead letter of one is one of the other. */
const BESIDE_SQL = KILL_SQL.replace("'minute'", "'hour'")
const KILL_COLUMNS = [...KILL_SQL.matchAll(/ AS (\w+)/g)]
  .flatMap(([, name]) => name ?? [])
  .filter((name) => name !== 'minute')
/** `killed` and `beside`. */
const READING_ROLLUPS = 2
const BESIDE_OF_KILLED_SQL = `SELECT date_trunc('hour', minute) AS hour, country, ${KILL_COLUMNS.map((column) => `MEASURE(${column})`).join(', ')}
FROM killed GROUP BY 1, 2 ORDER BY 1, 2`

class KillRun {
  readonly #options: KillOptions
  readonly #kafka: RunningKafka
  readonly #data: string
  readonly #producer: Producer
  readonly #random: SeededRandom
  readonly #startedAtMs = performance.now()
  #service: RunningService | undefined
  #commitKills: Partial<Record<FailPointName, number>> = {}
  #brokerKills = 0
  #unfitKills = 0

  constructor(options: KillOptions, kafka: RunningKafka, folder: string) {
    this.#options = options
    this.#kafka = kafka
    this.#data = join(folder, 'data')
    this.#producer = new Producer(kafka, options.seed, join(folder, 'good.ndjson'))
    this.#random = new SeededRandom(options.seed)
  }

  async run(): Promise<KillReport> {
    const { records, kills } = this.#options
    await this.#producer.createTopic()
    await this.#produceFirstPart()
    await this.#createRollup()
    const lives = this.#planLives()
    for (let kill = 0; kill < kills;) {
      if (await this.#live(lives[kill] as Life)) kill++
      else if (++this.#unfitKills > kills)
        throw new Error(`${this.#unfitKills} lives ended without a commit or without lag`)
      this.#tell(`kill ${kill} of ${kills}, ${this.#lag()} to be read`)
    }
    await this.#producer.produce(records - this.#producer.count)
    const rows = await this.#readAll()
    return {
      kills,
      commitKills: this.#commitKills,
      brokerKills: this.#brokerKills,
      unfitKills: this.#unfitKills,
      groups: rows.groups,
      differences: rows.differences,
      seconds: (performance.now() - this.#startedAtMs) / 1000,
    }
  }

  async close(): Promise<void> {
    await this.#service?.kill()
    await this.#producer.close()
  }

  async #produceFirstPart(): Promise<void> {
    const first = Math.floor(this.#options.records * FIRST_PART)
    while (this.#producer.count < first) {
      await this.#producer.produce(Math.min(CHUNK, first - this.#producer.count))
      this.#tell(`produced ${this.#producer.count} of ${first} records`)
    }
  }

  async #createRollup(): Promise<void> {
    const service = await this.#start(undefined)
    await service.createRollup('killed', KILL_SQL, TOPIC)
    await service.createRollup('beside', BESIDE_SQL, TOPIC)
    await service.createRollup('follower', FOLLOWER_SQL, TOPIC, { source: { rollup: 'killed' } })
    await service.kill()
  }

  /** Which lives end inside a commit, and in which the broker is killed: spread by the seed. */
  #planLives(): Life[] {
    const { kills, commitKills, brokerKills } = this.#options
    if (commitKills + brokerKills > kills)
      throw new Error('there must be a kill for each commit kill and each broker kill')
    const lives = Array.from({ length: kills }, (_, index): Life => {
      if (index < commitKills) return { failPoint: FAIL_POINTS[(index + 1) % FAIL_POINTS.length], broker: 'stays' }
      const broker = index - commitKills
      if (broker >= brokerKills) return { failPoint: undefined, broker: 'stays' }
      return { failPoint: undefined, broker: broker % 2 === 0 ? 'restarts' : 'is_away' }
    })
    for (let index = lives.length - 1; index > 0; index--) {
      const other = this.#random.below(index + 1)
      ;[lives[index], lives[other]] = [lives[other] as Life, lives[index] as Life]
    }
    return lives
  }

  /** One life of the service, ended by SIGKILL. False: it ended without a commit or without lag. */
  async #live({ failPoint, broker }: Life): Promise<boolean> {
    await this.#keepAhead()
    const before = this.#readSum()
    const service = await this.#start(failPoint)
    await this.#waitForMore(before)
    if (failPoint !== undefined) await this.#reachFailPoint(service, failPoint)
    else await this.#disturbBroker(broker)
    if (failPoint === undefined && this.#lag() > this.#slice) await delay(this.#random.below(KILL_DELAY_MS_MAX))
    // sent and answered: the service has no time to read and commit it
    if (this.#lag() === 0 && this.#kafka.running) await this.#nudge()
    await service.kill()
    const isFit = this.#readSum() > before && this.#lag() > 0
    if (failPoint !== undefined && isFit) this.#commitKills[failPoint] = (this.#commitKills[failPoint] ?? 0) + 1
    return isFit
  }

  async #reachFailPoint(service: RunningService, failPoint: FailPointName): Promise<void> {
    await waitUntil(
      `fail point ${failPoint}`,
      async () => {
        const isReached = service.log.includes(`fail point ${failPoint} reached`)
        // its second commit is where it stops: there must be something to commit
        if (!isReached && this.#lag() === 0) await this.#nudge()
        return isReached
      },
      (isReached) => isReached,
      STEP_MS_MAX,
    )
  }

  async #disturbBroker(broker: Life['broker']): Promise<void> {
    if (broker === 'stays') return
    if (this.#lag() === 0) await this.#nudge()
    await this.#kafka.kill()
    this.#brokerKills++
    if (broker === 'is_away') return
    const before = this.#readSum()
    await this.#kafka.restart()
    await this.#producer.reopen()
    if (this.#lag() === 0) await this.#nudge()
    await this.#waitForMore(before)
  }

  /** Starts the service; a broker that is away comes back while it starts. */
  async #start(failPoint: FailPointName | undefined): Promise<RunningService> {
    const env = failPoint === undefined ? {} : { ROLLUPD_FAIL_POINT: `${failPoint}@2` }
    const starting = startRollupd({ data: this.#data, kafka: this.#kafka.bootstrap, env })
    const isAway = !this.#kafka.running
    this.#service = await starting
    if (isAway) {
      await this.#kafka.restart()
      await this.#producer.reopen()
    }
    return this.#service
  }

  /** Before a life: at least a slice to read. */
  async #keepAhead(): Promise<void> {
    if (!this.#kafka.running || this.#lag() >= this.#slice) return
    const kept = Math.floor(this.#options.records * NUDGE_PART)
    await this.#producer.produce(
      Math.max(0, Math.min(this.#slice, this.#options.records - kept - this.#producer.count)),
    )
  }

  /** Some records more, so that there is something to read. */
  async #nudge(): Promise<void> {
    const count = Math.max(PARTITIONS, Math.floor((this.#options.records * NUDGE_PART) / (4 * this.#options.kills)))
    await this.#producer.produce(Math.min(count, this.#options.records - this.#producer.count))
  }

  get #slice(): number {
    return Math.floor((this.#options.records * (1 - FIRST_PART - NUDGE_PART)) / this.#options.kills)
  }

  /** Committed offsets of both rollups, seen in the leaf's file: a service at its fail point answers nothing. */
  #readSum(): number {
    return sumPositions(this.#data)
  }

  /** Records that one of them hasn't read yet. */
  #lag(): number {
    return this.#producer.count * READING_ROLLUPS - this.#readSum()
  }

  async #waitForMore(than: number): Promise<void> {
    await waitUntil(
      `a commit beyond ${than}`,
      async () => this.#readSum(),
      (sum) => sum > than,
      STEP_MS_MAX,
    )
  }

  /** The last life reads to the end; then the answers are compared. */
  async #readAll(): Promise<{ groups: number; differences: string[] }> {
    const service = await this.#start(undefined)
    const differences = await this.#finish(service, 'killed')
    const rows = await this.#rowsOf(service, 'killed')
    differences.push(...(await this.#compareFollower(service)))
    differences.push(...(await this.#finish(service, 'beside')), ...(await this.#compareBeside(service)))
    this.#tell('reading once more, undisturbed')
    await service.createRollup('undisturbed', KILL_SQL, TOPIC)
    differences.push(...(await this.#finish(service, 'undisturbed')))
    const undisturbed = await this.#rowsOf(service, 'undisturbed')
    if (JSON.stringify(rows) !== JSON.stringify(undisturbed)) {
      differences.push('the answer is another than that of a rollup that was never disturbed')
    }
    await service.stop()
    this.#tell('asking the oracle')
    const oracle = await askOracle(await this.#producer.finishFile())
    const { filtered } = oracle
    if (filtered !== this.#filtered) differences.push(`${this.#filtered} records filtered, not ${filtered}`)
    return { groups: rows.length, differences: [...differences, ...findDifferences(rows, oracle)] }
  }

  /** A rollup of the killed one stands where its source's states merged stand. */
  async #compareFollower(service: RunningService): Promise<string[]> {
    const measures = FOLLOWER_COLUMNS.map((column) => `MEASURE(${column})`).join(', ')
    const [own, merged] = await Promise.all(
      [
        'SELECT * FROM follower ORDER BY country',
        `SELECT country, ${measures} FROM killed GROUP BY country ORDER BY country`,
      ].map(async (sql) => JSON.stringify((await service.query(sql, { timeout_ms: 60_000 })).rows)),
    )
    return own === merged ? [] : [`the rollup of the rollup has ${own}, merging its source gives ${merged}`]
  }

  async #compareBeside(service: RunningService): Promise<string[]> {
    const sqls = [`SELECT minute, country, ${KILL_COLUMNS.join(', ')} FROM beside ORDER BY 1, 2`, BESIDE_OF_KILLED_SQL]
    const [own, merged] = await Promise.all(
      sqls.map(async (sql) => {
        const { rows } = await service.query(sql, { timeout_ms: 60_000, limit: 1_000_000 })
        return JSON.stringify(rows.map((row) => Object.values(row)))
      }),
    )
    return own === merged ? [] : [`the rollup beside it has ${own}, merging the killed one gives ${merged}`]
  }

  #filtered = -1

  /** Reads to the end; gives what contradicts law 6 or what was produced. */
  async #finish(service: RunningService, name: string): Promise<string[]> {
    const { count, kinds } = this.#producer
    const { shards, counts } = await waitUntil(
      `${name} at the end`,
      () => service.rollup(name),
      (rollup) => rollup.shards.reduce((sum, shard) => sum + shard.next_offset, 0) >= count,
      READ_ALL_MS_MAX,
    )
    this.#filtered = counts.filtered
    const differences = shards.flatMap((shard) => {
      const passed = shard.next_offset - shard.start_offset
      const sum = sumConserved(shard.counts)
      return sum === passed
        ? []
        : [`law 6: partition ${shard.partition} passed ${passed} offsets and accounts for ${sum}`]
    })
    const expected = {
      aggregated: kinds.good - counts.filtered,
      dead: kinds.broken + kinds.wrong_kind,
      tombstones: kinds.tombstone,
      lost: 0,
      holes: 0,
    }
    for (const [outcome, number] of Object.entries(expected)) {
      const found = counts[outcome as keyof typeof expected]
      if (found !== number) differences.push(`${name}: ${found} records ${outcome}, not ${number}`)
    }
    return differences
  }

  async #rowsOf(service: RunningService, name: string): Promise<Row[]> {
    const { rows } = await service.query(`SELECT * FROM ${name} ORDER BY minute, country`, {
      limit: 1_000_000,
      timeout_ms: 60_000,
    })
    return rows
  }

  #tell(text: string): void {
    this.#options.onProgress?.(text)
  }
}

/** Writes the records to Kafka, evenly over the partitions, and the good ones to the oracle's file. */
class Producer {
  readonly #kafka: RunningKafka
  readonly #events: KillEvents
  readonly #path: string
  readonly #file: WriteStream
  readonly kinds: Record<RecordKind, number> = { good: 0, broken: 0, wrong_kind: 0, tombstone: 0 }
  #log: KafkaLog
  count = 0

  constructor(kafka: RunningKafka, seed: number, path: string) {
    this.#kafka = kafka
    this.#events = new KillEvents(seed)
    this.#path = path
    this.#file = createWriteStream(path)
    this.#log = this.#open()
  }

  async createTopic(): Promise<void> {
    await this.#log.createTopic(TOPIC, PARTITIONS)
  }

  async produce(count: number): Promise<void> {
    for (let left = count; left > 0; left -= CHUNK) await this.#produceChunk(Math.min(left, CHUNK))
  }

  /** With connections of its own to a broker that is another process now: no answer can be lost on an old one. */
  async reopen(): Promise<void> {
    await this.#log.close()
    this.#log = this.#open()
  }

  async finishFile(): Promise<string> {
    this.#file.end()
    await once(this.#file, 'close')
    return this.#path
  }

  async close(): Promise<void> {
    this.#file.destroy()
    await this.#log.close()
  }

  async #produceChunk(count: number): Promise<void> {
    const records: NewRecord[] = []
    let good = ''
    for (let index = 0; index < count; index++) {
      const { kind, value, timestampMs } = this.#events.next()
      this.kinds[kind]++
      if (kind === 'good') good += `${value}\n`
      const partition = (this.count + index) % PARTITIONS
      const bytes = value === null ? null : Buffer.from(value)
      records.push({ value: bytes, key: null, headers: [], timestampMs, partition })
    }
    await this.#log.produce(TOPIC, records)
    this.count += count
    if (!this.#file.write(good)) await once(this.#file, 'drain')
  }

  #open(): KafkaLog {
    return new KafkaLog({ brokers: [this.#kafka.bootstrap], clientId: 'rollupd-kill' }, Date.now)
  }
}
