/** Owns how a Kafka cluster is named and entered. */
import { RollupdError } from '../../core/errors.ts'

/** Certificates and keys as PEM text. All absent: the system's certificate authorities, no client certificate. */
export interface KafkaTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Default true. False: a broker with any certificate is believed. */
  readonly rejectUnauthorized?: boolean
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

export interface KafkaConfig {
  /** `HOST:PORT` of one or more brokers to begin with, `[::1]:9092` for IPv6; the others are found through them. */
  readonly brokers: readonly string[]
  /** Absent: without encryption. */
  readonly tls?: KafkaTls
  /** Absent: without a login. */
  readonly sasl?: KafkaSasl
  /** What the brokers' logs and quotas call us. */
  readonly clientId: string
}

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

const PORT_MAX = 65_535

/** Reads `HOST:PORT` or `[IPv6]:PORT`. Errors: config_invalid. */
export function parseBroker(text: string): HostAndPort {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text.trim())
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || !(port >= 1 && port <= PORT_MAX)) {
    throw new RollupdError('config_invalid', `"${text}" is not the address of a Kafka broker`, {
      hint: 'Write HOST:PORT, for example 127.0.0.1:9092.',
    })
  }
  return { host, port }
}
