/**
 * Owns the types of the parts of kafkajs 2.2.4 that this adapter uses: one authenticated connection to one broker. kafkajs
 * declares types for its surface only. The version is pinned exactly; a new one means reading these files again.
 */
declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net'

  interface Logger {
    namespace(name: string): Logger
    debug(message: string, extra?: object): void
    info(message: string, extra?: object): void
    warn(message: string, extra?: object): void
    error(message: string, extra?: object): void
  }

  interface SocketOptions {
    readonly host: string
    readonly port: number
    readonly ssl: object | null
    readonly onConnect: () => void
  }

  interface ConnectionOptions {
    readonly host: string
    readonly port: number
    readonly clientId: string
    readonly ssl: object | null
    readonly sasl: { mechanism: string; username: string; password: string } | null
    readonly logger: Logger
    readonly socketFactory: (options: SocketOptions) => Socket
    readonly connectionTimeout: number
    readonly requestTimeout: number
    readonly enforceRequestTimeout: boolean
  }

  interface ProtocolRequest<Answer> {
    readonly request: {
      readonly apiKey: number
      readonly apiVersion: number
      readonly apiName: string
      encode(): Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>
    }
    readonly response: {
      decode(payload: Buffer): Promise<object>
      parse(decoded: object): Promise<Answer>
    }
    readonly logResponseError?: boolean
  }

  interface RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
    destroy(): void
  }

  export default class Connection {
    constructor(options: ConnectionOptions)
    readonly requestQueue: RequestQueue
    /** Pieces of the answer that has begun. */
    chunks: Buffer[]
    /** Takes the socket's next piece. */
    processData: (this: Connection, piece: Buffer) => void
    connect(): Promise<unknown>
    disconnect(): Promise<unknown>
    authenticate(): Promise<void>
    isConnected(): boolean
    send<Answer>(protocol: ProtocolRequest<Answer>): Promise<Answer>
    setVersions(versions: Record<number, { minVersion: number; maxVersion: number }>): void
    setSupportAuthenticationProtocol(supported: boolean): void
    rejectRequests(error: Error): void
  }
}
