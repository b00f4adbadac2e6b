/**
 * Owns one connection to one broker: opening it when it is needed, TLS, login, the versions that the broker speaks, a time-out
 * for each request, and its end. kafkajs brings the socket's framing and SASL; requests are those of protocol/.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import Connection from 'kafkajs/src/network/connection.js'
import { RollupdError } from '../../core/errors.ts'
import { AnswerGatherer, type AnswerBuffers, FRESH_BUFFERS } from './answer-gatherer.ts'
import type { HostAndPort, KafkaConfig } from './kafka-config.ts'
import type { Api } from './protocol/api.ts'
import { API_VERSIONS } from './protocol/api-versions.ts'
import { KAFKA_ERRORS, nameOfKafkaError } from './protocol/error-code.ts'
import { WireReader } from './protocol/wire-reader.ts'
import { WireWriter } from './protocol/wire-writer.ts'

/** One lost SYN is sent again after 1 s, the second after 3 s; a TLS handshake over a far line takes less than one. */
const CONNECT_TIMEOUT_MS = 4_000
/** Routers forget idle connections after some minutes. */
const KEEP_ALIVE_DELAY_MS = 60_000
/** Read at once from a socket: a fetch's answer has megabytes, and each turn of reading costs some microseconds. */
const READ_BYTES = 256 << 10
/** The second part of a flexible request's header: no tagged fields. */
const NO_HEADER_TAGS = Buffer.from([0])
const NO_BYTES = Buffer.alloc(0)
const CLOSED = 'the connection was closed'

type Logger = ConstructorParameters<typeof Connection>[0]['logger']

/** kafkajs logs each failed attempt as an error; here failures are answers to the caller, who logs once. */
const SILENT: Logger = { namespace: () => SILENT, debug() {}, info() {}, warn() {}, error() {} }

interface Session {
  readonly connection: Connection
  readonly gatherer: AnswerGatherer
  readonly socket: () => Socket | undefined
  versions: ReadonlyMap<number, { readonly min: number; readonly max: number }>
}

export class BrokerConnection {
  readonly address: HostAndPort
  readonly #config: KafkaConfig
  /** The attempt to connect and log in that is under way. */
  #attempt: { readonly session: Session; readonly opened: Promise<Session> } | undefined
  #session: Session | undefined
  #closed = false

  constructor(config: KafkaConfig, address: HostAndPort) {
    this.#config = config
    this.address = address
  }

  get isOpen(): boolean {
    return this.#session?.connection.isConnected() ?? false
  }

  /**
   * Sends a request, opening the connection first where there is none, and gives its answer. After a failure the connection is
   * dropped: an answer that comes late must not meet the next request. `buffers` is where the answer's bytes are put, for a caller
   * that has no other request under way.
   * Errors: broker_away (refused, lost, no answer within `timeoutMs`, login refused, an answer that is none).
   */
  async send<Request, Answer>(
    api: Api<Request, Answer>,
    request: Request,
    timeoutMs: number,
    buffers: AnswerBuffers = FRESH_BUFFERS,
  ): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const expire = () => reject(new Error(`no answer to ${api.name} within ${timeoutMs} ms`))
      timer = setTimeout(expire, timeoutMs)
    })
    try {
      return await Promise.race([this.#sendNow(api, request, buffers), late])
    } catch (error) {
      this.#drop()
      throw this.#away(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether the broker speaks this version of the request. Errors: broker_away. */
  async supports(api: Api<never, unknown>, timeoutMs: number): Promise<boolean> {
    if (this.#session === undefined) await this.send(API_VERSIONS, undefined, timeoutMs)
    const range = this.#session?.versions.get(api.key)
    return range !== undefined && range.min <= api.version && api.version <= range.max
  }

  /** Ends the socket at once; requests under way fail. */
  close(): void {
    this.#closed = true
    this.#drop()
  }

  async #sendNow<Request, Answer>(
    api: Api<Request, Answer>,
    request: Request,
    buffers: AnswerBuffers,
  ): Promise<Answer> {
    const session = await this.#open()
    const range = session.versions.get(api.key)
    if (range === undefined || api.version < range.min || api.version > range.max) {
      const has = range === undefined ? 'no version of it' : `versions ${range.min} to ${range.max}`
      throw new Error(`it speaks ${has} where ${api.name} ${api.version} is needed; Kafka 2.8 or later has it`)
    }
    session.gatherer.buffers = buffers
    try {
      return await exchange(session.connection, api, request)
    } finally {
      session.gatherer.buffers = FRESH_BUFFERS
    }
  }

  async #open(): Promise<Session> {
    if (this.#session?.connection.isConnected() === true) return this.#session
    this.#session = undefined
    if (this.#closed) throw new Error(CLOSED)
    if (this.#attempt === undefined) {
      // A connection of kafkajs keeps a half-read answer over a reconnect: each attempt gets a fresh one.
      const session = this.#createSession()
      const opened = this.#connect(session)
      this.#attempt = { session, opened }
    }
    return this.#attempt.opened
  }

  async #connect(session: Session): Promise<Session> {
    const { connection } = session
    await connection.connect()
    const versions = await exchange(connection, API_VERSIONS, undefined)
    if (versions.errorCode !== KAFKA_ERRORS.none) {
      throw new Error(`ApiVersions: ${nameOfKafkaError(versions.errorCode)}`)
    }
    session.versions = new Map(versions.apis.map((api) => [api.key, api]))
    connection.setVersions(
      Object.fromEntries(versions.apis.map((api) => [api.key, { minVersion: api.min, maxVersion: api.max }])),
    )
    connection.setSupportAuthenticationProtocol(true)
    await connection.authenticate()
    this.#session = session
    this.#attempt = undefined
    return session
  }

  #createSession(): Session {
    const { tls, sasl, clientId } = this.#config
    let socket: Socket | undefined
    const gatherer = new AnswerGatherer((answer) => giveWhole(connection, answer))
    const add = (piece: Uint8Array): void => {
      try {
        gatherer.add(piece)
      } catch (error) {
        socket?.destroy(error as Error)
      }
    }
    // TLS decrypts into buffers of its own, and kafkajs gets them as the socket's data
    const onread = {
      buffer: tls === undefined ? Buffer.allocUnsafeSlow(READ_BYTES) : NO_BYTES,
      callback: (bytes: number, buffer: Uint8Array) => {
        add(buffer.subarray(0, bytes))
        return true
      },
    }
    const connection = new Connection({
      ...this.address,
      clientId,
      ssl: tls ?? null,
      sasl: sasl === undefined ? null : { ...sasl },
      logger: SILENT,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      // Time-outs are ours (see send): kafkajs would keep a timer of 100 ms for each connection.
      requestTimeout: CONNECT_TIMEOUT_MS,
      enforceRequestTimeout: false,
      socketFactory: ({ host, port, onConnect }) => {
        const servername = isIP(host) === 0 ? { servername: host } : {}
        socket =
          tls === undefined
            ? connectPlain({ host, port, onread }, onConnect)
            : connectTls({ host, port, ...servername, ...tls }, onConnect)
        socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS)
        // Requests are small and wait for their answer: nothing to gather.
        socket.setNoDelay(true)
        // kafkajs hears of a clean end and of errors only.
        socket.once('close', () => connection.rejectRequests(new Error(CLOSED)))
        return socket
      },
    })
    connection.processData = add
    keepIdleQueueQuiet(connection)
    return { connection, gatherer, socket: () => socket, versions: new Map() }
  }

  #drop(): void {
    const sessions = [this.#session, this.#attempt?.session]
    this.#session = undefined
    this.#attempt = undefined
    for (const session of sessions) {
      session?.connection.rejectRequests(new Error(CLOSED))
      session?.connection.requestQueue.destroy()
      // With an error: without one kafkajs would wait for its connect time-out.
      session?.socket()?.destroy(new Error(CLOSED))
    }
  }

  #away(error: unknown): RollupdError {
    const { host, port } = this.address
    const reason = error instanceof Error ? error.message : String(error)
    return new RollupdError('broker_away', `kafka broker ${host}:${port} is away: ${reason.split('\n', 1)[0]}`, {
      cause: error,
    })
  }
}

/**
 * kafkajs arms the queue's timer again after each look, also when nothing is queued, with a negative delay: 1,000 wake-ups a
 * second for each connection, and a TimeoutNegativeWarning on Node 24. With nothing queued there is nothing to look for.
 */
function keepIdleQueueQuiet(connection: Connection): void {
  const queue = connection.requestQueue
  const schedule = queue.scheduleCheckPendingRequests.bind(queue)
  queue.scheduleCheckPendingRequests = () => {
    if (queue.pending.length > 0) schedule()
  }
}

/** kafkajs copies pieces to join them, also a whole answer with the nothing that it kept of the one before. */
function giveWhole(connection: Connection, answer: Buffer): void {
  connection.chunks = []
  Connection.prototype.processData.call(connection, answer)
}

function exchange<Request, Answer>(
  connection: Connection,
  api: Api<Request, Answer>,
  request: Request,
): Promise<Answer> {
  return connection.send({
    request: {
      apiKey: api.key,
      apiVersion: api.version,
      apiName: api.name,
      encode: async () => {
        const writer = new WireWriter()
        api.encode(writer, request)
        const body = Buffer.concat([api.flexible ? NO_HEADER_TAGS : NO_BYTES, writer.finish()])
        // The shape of kafkajs's own encoder.
        return { buf: body, buffer: body }
      },
    },
    response: {
      decode: async (payload) => new WireReader(payload),
      parse: async (decoded) => {
        const reader = decoded as WireReader
        if (api.flexible) reader.skipTags()
        return api.decode(reader)
      },
    },
    logResponseError: false,
  })
}
