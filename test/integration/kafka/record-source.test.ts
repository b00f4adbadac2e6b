import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { testRecordSource } from '../../contract/record-source.ts'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'

testRecordSource('kafka', {
  async open() {
    const log = new KafkaLog({ brokers: [sharedKafka()], clientId: 'rollupd-test' }, () => Date.now())
    return { source: log, sink: log, close: () => log.close() }
  },
  uniqueTopic,
})
