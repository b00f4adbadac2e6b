import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KafkaConfig, KafkaSasl } from '../../../src/adapters/kafka/kafka-config.ts'
import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { type RunningKafka, startKafka } from '../../../tools/kafka/kafka-broker.ts'
import { createAuthority } from '../../support/certificates.ts'
import { uniqueTopic } from '../../support/kafka-broker.ts'

const authority = createAuthority()
const server = authority.issue('broker')
const client = authority.issue('rollupd')
const PASSWORD = 'correct horse'

let kafka: RunningKafka
let ports: { plain: number; controller: number; tls: number; mutual: number; sasl: number; saslTls: number }

async function findFreePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

beforeAll(async () => {
  const [plain = 0, controller = 0, tls = 0, mutual = 0, sasl = 0, saslTls = 0] = await Promise.all(
    Array.from({ length: 6 }, findFreePort),
  )
  ports = { plain, controller, tls, mutual, sasl, saslTls }
  const listeners = `PLAINTEXT://127.0.0.1:${plain},TLS://127.0.0.1:${tls},MUTUAL://127.0.0.1:${mutual},SASL://127.0.0.1:${sasl},SASLTLS://127.0.0.1:${saslTls}`
  // A line break within a value of server.properties.
  const inline = (pem: string) => pem.trim().replaceAll('\n', '\\n')
  const plainLogin = 'org.apache.kafka.common.security.plain.PlainLoginModule'
  const scramLogin = 'org.apache.kafka.common.security.scram.ScramLoginModule'
  const logins = Object.fromEntries(
    ['sasl', 'sasltls'].flatMap((name) => [
      [`listener.name.${name}.plain.sasl.jaas.config`, `${plainLogin} required user_reader="${PASSWORD}";`],
      [`listener.name.${name}.scram-sha-256.sasl.jaas.config`, `${scramLogin} required;`],
      [`listener.name.${name}.scram-sha-512.sasl.jaas.config`, `${scramLogin} required;`],
    ]),
  )
  kafka = await startKafka({
    port: plain,
    settings: {
      'controller.quorum.voters': `1@127.0.0.1:${controller}`,
      listeners: `${listeners},CONTROLLER://127.0.0.1:${controller}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,MUTUAL:SSL,SASL:SASL_PLAINTEXT,SASLTLS:SASL_SSL',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.key': inline(server.key),
      'ssl.keystore.certificate.chain': inline(server.cert),
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': inline(authority.cert),
      'listener.name.mutual.ssl.client.auth': 'required',
      ...logins,
    },
  })
  const args = ['--bootstrap-server', kafka.bootstrap, '--alter', '--entity-type', 'users', '--entity-name', 'reader']
  // One call each: Kafka refuses two credentials of a user in one.
  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512']) {
    const credential = `${mechanism}=[password=${PASSWORD}]`
    await kafka.runTool('kafka.admin.ConfigCommand', [...args, '--add-config', credential])
  }
})
afterAll(() => kafka.stop())

/** Creates a topic, writes and reads over this configuration: all kinds of connections that the adapter opens. */
async function roundTrip(config: Omit<KafkaConfig, 'clientId'>): Promise<string> {
  const log = new KafkaLog({ ...config, clientId: 'rollupd-test' }, () => Date.now())
  try {
    const topic = await log.createTopic(uniqueTopic('secure'), 1)
    await log.produce(topic.name, [{ value: Buffer.from('over a secure line'), key: null, headers: [] }])
    const reader = log.openReader()
    const request = { topic: topic.name, shard: { topicId: topic.id, partition: 0 }, offset: 0, maxBytes: 10_000 }
    const [answer] = await reader.fetch([request], { maxWaitMs: 5_000 })
    return Buffer.from(answer?.bytes ?? []).includes('over a secure line') ? 'read' : String(answer?.error?.message)
  } finally {
    await log.close()
  }
}

const login = (mechanism: KafkaSasl['mechanism'], password = PASSWORD) => ({ mechanism, username: 'reader', password })
const at = (port: number) => [`127.0.0.1:${port}`]
const AWAY = expect.objectContaining({ code: 'broker_away' })

test('TLS with the authority that signed the broker', async () => {
  expect(await roundTrip({ brokers: at(ports.tls), tls: { ca: authority.cert } })).toBe('read')
  expect(await roundTrip({ brokers: [`localhost:${ports.tls}`], tls: { ca: authority.cert } })).toBe('read')
})

test('TLS with a client certificate', async () => {
  expect(await roundTrip({ brokers: at(ports.mutual), tls: { ca: authority.cert, ...client } })).toBe('read')
  await expect(roundTrip({ brokers: at(ports.mutual), tls: { ca: authority.cert } })).rejects.toEqual(AWAY)
})

test('TLS refuses a broker of another authority, unless it is told to believe it', async () => {
  const stranger = createAuthority('Stranger').cert
  await expect(roundTrip({ brokers: at(ports.tls), tls: { ca: stranger } })).rejects.toEqual(AWAY)
  await expect(roundTrip({ brokers: at(ports.tls), tls: {} })).rejects.toThrow(/certificate/)
  expect(await roundTrip({ brokers: at(ports.tls), tls: { rejectUnauthorized: false } })).toBe('read')
})

test.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('SASL %s', async (mechanism) => {
  expect(await roundTrip({ brokers: at(ports.sasl), sasl: login(mechanism) })).toBe('read')
  await expect(roundTrip({ brokers: at(ports.sasl), sasl: login(mechanism, 'wrong') })).rejects.toEqual(AWAY)
})

test('SASL over TLS', async () => {
  const tls = { ca: authority.cert }
  expect(await roundTrip({ brokers: at(ports.saslTls), tls, sasl: login('scram-sha-512') })).toBe('read')
  expect(await roundTrip({ brokers: at(ports.saslTls), tls, sasl: login('plain') })).toBe('read')
})

test('a listener of another kind is told from one that is away', async () => {
  await expect(roundTrip({ brokers: at(ports.tls) })).rejects.toEqual(AWAY)
  await expect(roundTrip({ brokers: at(ports.sasl) })).rejects.toEqual(AWAY)
  await expect(roundTrip({ brokers: at(ports.plain), tls: { ca: authority.cert } })).rejects.toEqual(AWAY)
})
