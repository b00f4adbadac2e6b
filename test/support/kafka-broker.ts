/**
 * Owns how a test of test/integration/kafka* meets a broker: the one that the run shares, with a topic name of its own. A
 * test that takes the broker away starts its own with startKafka or startKafkaCluster (tools/kafka/kafka-broker.ts).
 */
import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import './kafka-for-run.ts'

/** HOST:PORT of the broker that the whole run shares. Leave it as it was: no topic of another test, no cluster setting. */
export function sharedKafka(): string {
  return inject('kafkaBootstrap')
}

/** A topic name that no other test has. */
export function uniqueTopic(label: string): string {
  return `${label}-${randomBytes(6).toString('hex')}`
}
