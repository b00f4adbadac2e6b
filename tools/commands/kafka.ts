/** Owns `./dev kafka`: a broker in the foreground. */
import { once } from 'node:events'
import { type KafkaOptions, startKafka } from '../kafka/kafka-broker.ts'

/** Starts a broker, prints its address, and stops it at Ctrl-C or SIGTERM. Caller gets the exit code. */
export async function runKafka(options: KafkaOptions): Promise<number> {
  const kafka = await startKafka(options)
  process.stdout.write(`kafka at ${kafka.bootstrap}\n`)
  process.stderr.write(`process ${kafka.pid}, data in ${kafka.dataDir}; Ctrl-C stops it\n`)
  // for a signal that arrives twice the first stop goes on
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
  await kafka.stop()
  return 0
}
