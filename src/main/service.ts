/**
 * The service: builds and wires all parts; starts what answers questions first, then what reads; stops what asks first, the leaf at the end. A broken
 * invariant anywhere ends the process (law 10): the leaf's last commit is where it goes on.
 */
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import pino, { type Logger } from 'pino'
import { EmbeddedLogWriter } from '../adapters/embedded/embedded-log-writer.ts'
import { createWakeCounter } from '../adapters/embedded/wake-counter.ts'
import { KafkaLog } from '../adapters/kafka/kafka-log.ts'
import { type Config, parseListen } from '../config.ts'
import { ERROR_CODES, RollupdError } from '../core/errors.ts'
import type { App } from '../http/app.ts'
import { LeafThreadClient } from '../leaf/leaf-thread-client.ts'
import { OwnerLock } from '../leaf/owner-lock.ts'
import { createPlanner } from './create-planner.ts'
import { explainUnusable, makeDirectory } from './data-directory.ts'
import { QueryService } from '../query/query-service.ts'
import { IngestThreadClient } from '../service/ingest-thread-client.ts'
import { IngestThreads } from '../service/ingest-threads.ts'
import { Metrics } from '../service/metrics.ts'
import { FencedQueries } from '../service/fenced-queries.ts'
import { PreviewClient } from '../service/preview/preview-client.ts'
import { RollupService } from '../service/rollup-service.ts'
import { TopicService } from '../service/topic-service.ts'
import { ViewService } from '../service/view-service.ts'
import type { RecordSink, RecordSource } from '../tailer/record-source.ts'
import type { IngestWorkerData } from './ingest-worker.ts'
import { entryUrl } from './entry-url.ts'
import { THREAD_LIMITS } from '../core/thread-limits.ts'
import { openSource, type SourceSettings, toKafkaConfig } from './open-source.ts'
import { readVersion } from './version.ts'

export interface RunningService {
  /** http://HOST:PORT as bound. */
  readonly url: string
  /** Resolves when the service has stopped, for whatever reason. */
  readonly stopped: Promise<void>
  /** Stores what is folded, then closes everything. May be called more than once. */
  stop(): Promise<void>
}

/** Bounds the whole stop: past it the process ends anyway, and the leaf's last commit is where the next start goes on. */
const STOP_MS_MAX = 9_500
/** Of a stop: what queries get that run or wait for offsets, ... */
const QUERY_GRACE_MS = 2_000
/** ... and clients that are still reading their answers. What is folded has the rest of the time to be stored. */
const CLIENT_GRACE_MS = 4_000
/** Of one ingest thread for each core: more wait for the one writer of the leaf. */
const CORE_THREADS_MAX = 4
/** How soon partitions that were added to a topic are found (the contract says 10 s), and a broker's return is noticed. */
const WATCH_MS = 5_000
/** A sample of large records must not take the service's memory: past it that preview fails alone. Megabytes. */
const PREVIEW_LIMITS = { maxOldGenerationSizeMb: 512 } as const
/** The preview's thread is started once all else has been. */
const PREVIEW_AFTER_MS = 1_000
/** How often start-up says that the broker is away. */
const BROKER_NEWS_MS = 3_000

/** Errors: config_invalid, data_in_use, disk_full. A broker that is away is no error: what is stored can be queried. */
export async function startService(config: Config): Promise<RunningService> {
  const logger = pino(
    { level: config.log_level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
  const closers: (() => Promise<void> | void)[] = []
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    return await start(config, logger, closers, closeAll)
  } catch (error) {
    await closeAll()
    throw explainUnusable(resolve(config.data), error)
  }
}

async function start(
  config: Config,
  logger: Logger,
  closers: (() => Promise<void> | void)[],
  closeAll: () => Promise<void>,
): Promise<RunningService> {
  const data = resolve(config.data)
  makeDirectory(data)
  const lock = OwnerLock.take(join(data, 'owner.db'))
  closers.push(() => lock.release())

  const leafPath = join(data, 'leaf.db')
  const queries = new QueryService({
    processUrl: entryUrl('query-process'),
    leafPath,
    spoolDirectory: join(data, 'spool'),
    limits: config.limits,
  })
  closers.push(() => queries.close())

  const leaf = new LeafThreadClient({
    workerUrl: entryUrl('leaf-worker'),
    path: leafPath,
    deadLettersMax: config.limits.dead_letters,
    onFatal: (error) => endProcess(logger, error),
  })
  closers.push(() => leaf.close())
  // what takes this thread longest, while those start
  const [planRollup, { buildApp }] = await Promise.all([createPlanner(), import('../http/app.ts')])

  const { settings, source, sink } = openLog(config, data, closers)
  const ingest = new IngestThreads(
    Array.from(
      { length: config.limits.ingest_threads || coreThreads() },
      () =>
        new IngestThreadClient(
          () => startIngestWorker(settings, leaf, config),
          (error) => endProcess(logger, error),
        ),
    ),
  )
  closers.push(() => ingest.close())

  const background = (work: Promise<void>): void => {
    work.catch((error: unknown) => {
      if (error instanceof RollupdError) logger.warn({ code: error.code }, error.message)
      else endProcess(logger, error)
    })
  }
  const rollups = new RollupService({
    leaf,
    ingest,
    source,
    planRollup,
    now: Date.now,
    events: {
      committed: (batch) => metrics.observeCommit(batch, Date.now()),
      halted: (reason) => logger.warn({ code: reason.code }, reason.message),
      background,
    },
  })
  const metrics = new Metrics(() => rollups.list())
  ingest.listen(rollups)
  const previews = new PreviewClient(
    () => new Worker(entryUrl('preview-worker'), { workerData: settings, resourceLimits: PREVIEW_LIMITS }),
  )
  closers.push(() => previews.close())

  const views = new ViewService({ leaf, queries })
  const fencedQueries = new FencedQueries(queries, rollups, views, metrics)
  const app = await buildApp({
    rollups,
    views,
    previews,
    topics: new TopicService({ source, sink, leaf }),
    queries: fencedQueries,
    metrics,
    logger,
    version: readVersion(),
    token: config.token,
    bodyBytesMax: config.limits.body_bytes,
    statementCharactersMax: config.limits.statement_characters,
  })
  closers.push(() => closeApp(app, fencedQueries))

  await leaf.opened
  queries.prepare()
  const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>()
  await rollups.recover(mayRead)
  const url = await listen(app, config)
  // questions are answered first: the threads that read would take the cores that answers need
  ingest.prepare()
  letRead()
  const watch = startWatch(rollups, source, logger)
  closers.push(() => watch.stop())
  logger.info(
    { data, source: source.description, rollups: (await rollups.list()).length },
    `rollupd ${readVersion()} at ${url}`,
  )

  const preparing = setTimeout(() => previews.prepare(), PREVIEW_AFTER_MS).unref()
  closers.push(() => clearTimeout(preparing))

  const { promise: stopped, resolve: tellStopped } = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= closeWithin(closeAll, STOP_MS_MAX, logger).then(tellStopped))
  return { url, stopped, stop }
}

function openLog(config: Config, data: string, closers: (() => Promise<void> | void)[]) {
  if (config.kafka !== undefined) {
    const settings: SourceSettings = { kind: 'kafka', config: toKafkaConfig(config.kafka) }
    const log = new KafkaLog(settings.config, Date.now)
    closers.push(() => log.close())
    return { settings, source: log as RecordSource, sink: log as RecordSink }
  }
  const path = join(data, 'log.db')
  const wake = createWakeCounter()
  const { retention_bytes, retention_ms } = config.embedded_log
  const writer = new EmbeddedLogWriter({
    path,
    wake,
    now: Date.now,
    retention: {
      ...(retention_bytes === 0 ? {} : { bytesMax: retention_bytes }),
      ...(retention_ms === 0 ? {} : { ageMsMax: retention_ms }),
    },
  })
  closers.push(() => writer.close())
  const settings: SourceSettings = { kind: 'embedded', path, wake }
  const source = openSource(settings)
  closers.push(() => source.close())
  return { settings, source, sink: writer as RecordSink }
}

function coreThreads(): number {
  return Math.min(availableParallelism(), CORE_THREADS_MAX)
}

function startIngestWorker(source: SourceSettings, leaf: LeafThreadClient, config: Config): Worker {
  const leafPort = leaf.connect()
  const workerData: IngestWorkerData = { source, leafPort, deadLettersMax: config.limits.dead_letters }
  return new Worker(entryUrl('ingest-worker'), {
    workerData,
    transferList: [leafPort],
    resourceLimits: THREAD_LIMITS,
  })
}

interface Watch {
  stop(): void
}

/** Looks for new partitions and for losses to accept, and says while the broker is away. */
function startWatch(rollups: RollupService, source: RecordSource, logger: Logger): Watch {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isAway = false
  let hasAnswered = false
  const look = async () => {
    try {
      await rollups.watchTopics()
      // without a rollup nothing asks the broker, and a wrong address would be noticed late
      if (!hasAnswered && (await rollups.list()).length === 0) await source.listTopics()
      hasAnswered = true
      if (isAway) logger.info(`${source.description} answers again`)
      isAway = false
    } catch (error) {
      if (!(error instanceof RollupdError)) return endProcess(logger, error)
      isAway = true
      if (!isStopped)
        logger.warn(
          { code: error.code },
          `${source.description}: ${error.message}; queries are answered from what is stored`,
        )
    }
    if (!isStopped) timer = setTimeout(() => void look(), isAway ? BROKER_NEWS_MS : WATCH_MS)
  }
  void look()
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

async function listen(app: App, config: Config): Promise<string> {
  try {
    return await app.listen(parseListen(config.listen))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'another process listens there' : message
    throw new RollupdError('config_invalid', `option listen: ${config.listen} can't be bound: ${why}`, {
      hint: 'Choose another with --listen HOST:PORT; port 0 takes a free one.',
      cause,
    })
  }
}

/** Requests get some time to end; nobody's slowness may keep from storing what is folded. */
async function closeApp(app: App, queries: FencedQueries): Promise<void> {
  queries.stopWithin(QUERY_GRACE_MS)
  const timer = setTimeout(() => app.server.closeAllConnections(), CLIENT_GRACE_MS)
  await app.close()
  clearTimeout(timer)
}

async function closeWithin(closeAll: () => Promise<void>, ms: number, logger: Logger): Promise<void> {
  const timer = setTimeout(() => {
    logger.error(`not stopped within ${ms} ms; ending anyway, the next start goes on from the last commit`)
    process.exit(0)
  }, ms)
  await closeAll()
  clearTimeout(timer)
}

function endProcess(logger: Logger, error: unknown): void {
  logger.fatal({ err: error }, 'an unexpected error; the process ends and the next start goes on from the last commit')
  process.exit(ERROR_CODES.internal.exit)
}
