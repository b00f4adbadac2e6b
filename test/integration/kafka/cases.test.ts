/** The public cases on a real broker. */
import { expect, test } from 'vitest'
import { sharedKafka } from '../../support/kafka-broker.ts'
import { runCases } from '../../support/run-cases.ts'
import { createDataFolder, startRollupd } from '../../support/running-service.ts'

test('all cases pass on a real broker', async () => {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path, kafka: sharedKafka() })
  const { code, output } = await runCases(service.url)
  await service.stop()
  data.remove()
  expect(output).toMatch(/^32 passed, 0 failed$/m)
  expect(code).toBe(0)
}, 120_000)
