/** Owns the generator's way straight into Kafka, for a profile without rollupd. */
import { Kafka, logLevel } from 'kafkajs'
import type { GeneratorTarget } from './generator.ts'

export function openKafkaTarget(bootstrap: string): GeneratorTarget {
  const kafka = new Kafka({ clientId: 'generator', brokers: bootstrap.split(','), logLevel: logLevel.ERROR })
  const producer = kafka.producer()
  return {
    async open(topic, partitions) {
      await producer.connect()
      const admin = kafka.admin()
      await admin.connect()
      try {
        const created = await admin.createTopics({
          topics: [{ topic, numPartitions: partitions }],
          waitForLeaders: true,
        })
        if (created) return 0
        const offsets = await admin.fetchTopicOffsets(topic)
        return offsets.reduce((sum, { offset }) => sum + Number(offset), 0)
      } finally {
        await admin.disconnect()
      }
    },
    async send(topic, values) {
      await producer.send({ topic, messages: values.map((value) => ({ value })) })
    },
  }
}
