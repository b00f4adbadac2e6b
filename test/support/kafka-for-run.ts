/** Owns the broker that a whole test run shares: started before the first test of the project `kafka`, stopped after the last. */
import type { TestProject } from 'vitest/node'
import { startKafka } from '../../tools/kafka/kafka-broker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly kafkaBootstrap: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kafka = await startKafka()
  project.provide('kafkaBootstrap', kafka.bootstrap)
  return () => kafka.stop()
}
