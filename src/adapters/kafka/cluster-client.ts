/**
 * Owns the connections for short requests (metadata, offsets, topics, produce) and what is known of the cluster's brokers.
 * Long polls have connections of their own (fetch-lane.ts): a broker answers the requests of one connection in turn.
 */
import { RollupdError } from '../../core/errors.ts'
import { BrokerConnection } from './broker-connection.ts'
import { type HostAndPort, type KafkaConfig, parseBroker } from './kafka-config.ts'
import type { Api } from './protocol/api.ts'
import { METADATA, type MetadataAnswer } from './protocol/metadata.ts'

/** A broker answers short requests within milliseconds; a second of stop-the-world and a slow disk fit in. */
export const REQUEST_TIMEOUT_MS = 5_000
/** Asking one broker after another ends here, so that no caller hangs when all are away. */
const ASK_ANY_TIMEOUT_MS = 6_000
/** A frozen broker must not use up the time of the others. */
const ASK_ONE_TIMEOUT_MS = 2_500

/** A broker's connections. */
interface Lines {
  readonly short: BrokerConnection
  /** For requests that wait for replicas or the controller: those behind them on one connection would wait as well. */
  readonly slow: BrokerConnection
}

export class ClusterClient {
  readonly config: KafkaConfig
  readonly #seeds: readonly BrokerConnection[]
  readonly #brokers = new Map<number, Lines>()
  #controllerId = -1
  #closed = false

  /** Opens nothing yet. Errors: config_invalid. */
  constructor(config: KafkaConfig) {
    this.config = config
    this.#seeds = config.brokers.map((text) => new BrokerConnection(config, parseBroker(text)))
    if (this.#seeds.length === 0) throw new RollupdError('config_invalid', 'no address of a Kafka broker is given')
  }

  /** Address of a broker of the last metadata. */
  findAddress(nodeId: number): HostAndPort | undefined {
    return this.#brokers.get(nodeId)?.short.address
  }

  /** Null: all topics. The brokers' addresses are remembered. Errors: broker_away. */
  async fetchMetadata(topics: readonly string[] | null): Promise<MetadataAnswer> {
    const metadata = await this.askAny(METADATA, { topics })
    this.#controllerId = metadata.controllerId
    this.#updateBrokers(metadata)
    return metadata
  }

  /** Asks the broker of that number what it answers at once. Errors: broker_away. */
  async ask<Request, Answer>(
    nodeId: number,
    api: Api<Request, Answer>,
    request: Request,
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<Answer> {
    return this.#getLines(nodeId).short.send(api, request, timeoutMs)
  }

  /** Asks the broker of that number what may take it long. Errors: broker_away. */
  async askSlow<Request, Answer>(
    nodeId: number,
    api: Api<Request, Answer>,
    request: Request,
    timeoutMs: number,
  ): Promise<Answer> {
    return this.#getLines(nodeId).slow.send(api, request, timeoutMs)
  }

  /** Asks the broker that administers topics. Errors: broker_away. */
  async askController<Request, Answer>(
    api: Api<Request, Answer>,
    request: Request,
    timeoutMs: number,
  ): Promise<Answer> {
    await this.fetchMetadata([])
    return this.askSlow(this.#controllerId, api, request, timeoutMs)
  }

  /** Ends all connections at once; requests under way fail with broker_away. */
  close(): void {
    this.#closed = true
    for (const seed of this.#seeds) seed.close()
    for (const lines of this.#brokers.values()) closeLines(lines)
  }

  /** Asks known brokers, open connections first, then the configured addresses, until one answers. Errors: broker_away. */
  async askAny<Request, Answer>(api: Api<Request, Answer>, request: Request): Promise<Answer> {
    const deadline = Date.now() + ASK_ANY_TIMEOUT_MS
    const known = [...this.#brokers.values()].map((lines) => lines.short)
    const order = [...known.filter((each) => each.isOpen), ...known.filter((each) => !each.isOpen), ...this.#seeds]
    let failure: RollupdError | undefined
    for (const broker of order) {
      const leftMs = deadline - Date.now()
      if (leftMs <= 0 || this.#closed) break
      try {
        return await broker.send(api, request, Math.min(leftMs, ASK_ONE_TIMEOUT_MS))
      } catch (error) {
        if (!(error instanceof RollupdError)) throw error
        failure ??= error
      }
    }
    throw failure ?? new RollupdError('broker_away', 'the connections to kafka were closed')
  }

  #updateBrokers(metadata: MetadataAnswer): void {
    if (this.#closed) return
    const present = new Set(metadata.brokers.map((broker) => broker.nodeId))
    for (const { nodeId, host, port } of metadata.brokers) {
      const known = this.#brokers.get(nodeId)
      const address = known?.short.address
      if (address?.host === host && address.port === port) continue
      if (known !== undefined) closeLines(known)
      const open = () => new BrokerConnection(this.config, { host, port })
      this.#brokers.set(nodeId, { short: open(), slow: open() })
    }
    for (const [nodeId, lines] of this.#brokers) {
      if (present.has(nodeId)) continue
      closeLines(lines)
      this.#brokers.delete(nodeId)
    }
  }

  #getLines(nodeId: number): Lines {
    const lines = this.#brokers.get(nodeId)
    if (lines === undefined || this.#closed) throw new RollupdError('broker_away', `kafka broker ${nodeId} is away`)
    return lines
  }
}

function closeLines({ short, slow }: Lines): void {
  short.close()
  slow.close()
}
