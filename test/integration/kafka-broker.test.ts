import { expect, test } from 'vitest'
import { startKafka, startKafkaCluster } from '../../tools/kafka/kafka-broker.ts'
import { listBrokerIds } from '../../tools/kafka/kafka-probe.ts'
import { sharedKafka } from '../support/kafka-broker.ts'

const portOf = (address: string) => Number(address.split(':')[1])

test("the run's broker answers", async () => {
  expect(await listBrokerIds(portOf(sharedKafka()))).toEqual([1])
})

test('a broker that was killed comes back on the same port as another process', async () => {
  const kafka = await startKafka()
  try {
    const first = kafka.pid
    await kafka.kill()
    expect(kafka.running).toBe(false)
    expect(await listBrokerIds(portOf(kafka.bootstrap))).toBeUndefined()
    await kafka.restart()
    expect(kafka.pid).not.toBe(first)
    expect(await listBrokerIds(portOf(kafka.bootstrap))).toEqual([1])
  } finally {
    await kafka.stop()
  }
})

test('a cluster has a controller and brokers that know each other', async () => {
  const cluster = await startKafkaCluster({ controllers: 1, brokers: 2 })
  try {
    const [one, two] = cluster.brokers
    expect((await listBrokerIds(portOf(one?.address ?? '')))?.toSorted()).toEqual([1, 2])
    await two?.stop()
    await expect.poll(() => listBrokerIds(portOf(one?.address ?? '')), { timeout: 20_000 }).toEqual([1])
    expect(cluster.controllers.map((node) => node.running)).toEqual([true])
  } finally {
    await cluster.stop()
  }
})
