/** Owns the configuration: flags over ROLLUPD_* variables over a file over defaults, validated once, frozen. */
import { readFileSync } from 'node:fs'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { parse as parseYaml } from 'yaml'
import { RollupdError } from './core/errors.ts'

const KafkaSettings = Type.Object(
  {
    brokers: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    client_id: Type.Optional(Type.String({ minLength: 1 })),
    tls: Type.Optional(
      Type.Object(
        {
          ca_file: Type.Optional(Type.String()),
          cert_file: Type.Optional(Type.String()),
          key_file: Type.Optional(Type.String()),
          /** Off only for tests: anybody can read along. */
          verify: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ),
    sasl: Type.Optional(
      Type.Object(
        {
          mechanism: Type.Union([Type.Literal('plain'), Type.Literal('scram-sha-256'), Type.Literal('scram-sha-512')]),
          username: Type.String(),
          password: Type.String(),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

const Limits = Type.Object(
  {
    /** Bytes of a request's body. Past it: 413. */
    body_bytes: Type.Integer({ minimum: 1024, default: 64 * 1024 * 1024 }),
    /** Characters of a statement. Past it: 413. */
    statement_characters: Type.Integer({ minimum: 100, default: 100_000 }),
    /** Rows that a query may ask for by `limit`. Past it: 422. */
    rows: Type.Integer({ minimum: 1, default: 1_000_000 }),
    /** Rows of a query without a `limit` of its own; more are cut off and the answer says `truncated`. */
    rows_default: Type.Integer({ minimum: 1, default: 10_000 }),
    /** Milliseconds of a query without `timeout_ms`. */
    query_timeout_ms_default: Type.Integer({ minimum: 1, default: 10_000 }),
    /** Greatest `timeout_ms`. Past it: 422. */
    query_timeout_ms: Type.Integer({ minimum: 1, default: 60_000 }),
    /** Threads that read topics and fold their records, each some of the partitions. 0: one for each core, at most 4. */
    ingest_threads: Type.Integer({ minimum: 0, maximum: 64, default: 0 }),
    /** Query processes that are kept warm, each for one query at a time; while more are asked there are up to four times as many. */
    query_processes: Type.Integer({ minimum: 1, maximum: 64, default: 2 }),
    /** Queries that wait for a process. Past it: 429. */
    queries_waiting: Type.Integer({ minimum: 0, default: 100 }),
    /** Dead letters kept for each rollup; the oldest are dropped and counted. */
    dead_letters: Type.Integer({ minimum: 0, default: 10_000 }),
  },
  { additionalProperties: false },
)

const EmbeddedLogSettings = Type.Object(
  {
    /** Bytes kept of a partition; the oldest batches go first. 0: all. */
    retention_bytes: Type.Integer({ minimum: 0, default: 0 }),
    /** Milliseconds that a record is kept. 0: for ever. */
    retention_ms: Type.Integer({ minimum: 0, default: 0 }),
  },
  { additionalProperties: false },
)

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

const ConfigSchema = Type.Object(
  {
    data: Type.String({ minLength: 1, default: './rollupd-data' }),
    listen: Type.String({ pattern: '^(\\[[0-9a-fA-F:]+\\]|[^:\\s]+):\\d{1,5}$', default: '127.0.0.1:8090' }),
    token: Type.Optional(Type.String({ minLength: 1 })),
    log_level: Type.Union(
      LOG_LEVELS.map((level) => Type.Literal(level)),
      { default: 'info' },
    ),
    kafka: Type.Optional(KafkaSettings),
    embedded_log: EmbeddedLogSettings,
    limits: Limits,
  },
  { additionalProperties: false },
)

export type Config = Readonly<Static<typeof ConfigSchema>>
export type KafkaSettings = Static<typeof KafkaSettings>
export type Limits = Static<typeof Limits>

export interface ConfigInput {
  /** From the command line. */
  readonly flags: {
    readonly data?: string | undefined
    readonly listen?: string | undefined
    readonly kafka?: string | undefined
    readonly config?: string | undefined
    readonly logLevel?: string | undefined
  }
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Errors: config_invalid, naming the option and where it came from. */
export function loadConfig({ flags, environment }: ConfigInput): Config {
  const file = flags.config ?? environment['ROLLUPD_CONFIG']
  const settings = file === undefined ? {} : readConfigFile(file)
  const brokers = flags.kafka ?? environment['ROLLUPD_KAFKA']
  const overrides: Record<string, unknown> = {
    data: flags.data ?? environment['ROLLUPD_DATA'],
    listen: flags.listen ?? environment['ROLLUPD_LISTEN'],
    token: environment['ROLLUPD_TOKEN'],
    log_level: flags.logLevel ?? environment['ROLLUPD_LOG_LEVEL'],
  }
  for (const [name, value] of Object.entries(overrides)) if (value !== undefined) settings[name] = value
  if (brokers !== undefined) {
    const list = brokers.split(',').map((broker) => broker.trim())
    settings['kafka'] = {
      ...(settings['kafka'] as object | undefined),
      brokers: list.filter((broker) => broker !== ''),
    }
  }
  settings['limits'] ??= {}
  settings['embedded_log'] ??= {}
  const complete = Value.Default(ConfigSchema, settings)
  if (!Value.Check(ConfigSchema, complete)) throw describeInvalid(complete, file)
  const config: Config = complete
  checkListen(config)
  checkDefaults(config.limits)
  return Object.freeze(config)
}

function readConfigFile(file: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = parseYaml(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new RollupdError(
      'config_invalid',
      `configuration file "${file}" can't be read: ${(error as Error).message.split('\n')[0]}`,
      {
        cause: error,
      },
    )
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new RollupdError('config_invalid', `configuration file "${file}" is not a mapping of options`)
  }
  return parsed as Record<string, unknown>
}

function describeInvalid(settings: unknown, file: string | undefined): RollupdError {
  const [first] = Value.Errors(ConfigSchema, settings)
  const option = first?.instancePath.slice(1).replaceAll('/', '.') || 'configuration'
  const from = file === undefined ? '' : ` (flags, ROLLUPD_* variables or "${file}")`
  return new RollupdError('config_invalid', `option ${option}${from}: ${describeRule(option, first)}`, {
    hint: 'docs/OPERATIONS.md lists all options with their defaults.',
  })
}

function describeRule(option: string, rule: { keyword: string; message: string } | undefined): string {
  if (option === 'listen') return 'must be HOST:PORT'
  if (option === 'log_level') return `must be one of ${LOG_LEVELS.join(', ')}`
  if (rule?.keyword === 'boolean') return 'there is no such option'
  return rule?.message ?? 'is not valid'
}

/** A default past its bound would refuse every request that relies on it. */
function checkDefaults(limits: Limits): void {
  for (const name of ['rows', 'query_timeout_ms'] as const) {
    const given = limits[`${name}_default`]
    if (given <= limits[name]) continue
    throw new RollupdError(
      'config_invalid',
      `option limits.${name}_default: ${given} is above limits.${name}, ${limits[name]}`,
    )
  }
}

/** Host and port of `listen`. */
export function parseListen(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':')
  return { host: listen.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port: Number(listen.slice(colon + 1)) }
}

/** Without a token anybody who reaches the address could drop a rollup: loopback only. */
function checkListen(config: Config): void {
  const { host, port } = parseListen(config.listen)
  if (port > 65_535) throw new RollupdError('config_invalid', `option listen: port ${port} is above 65535`)
  const isLoopback = host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
  if (isLoopback || config.token !== undefined) return
  throw new RollupdError(
    'config_invalid',
    `option listen: "${config.listen}" is not a loopback address and there is no token`,
    {
      hint: 'Set ROLLUPD_TOKEN, which every request must then send as a bearer token, or listen on 127.0.0.1.',
    },
  )
}
