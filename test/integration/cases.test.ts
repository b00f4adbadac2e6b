/** The public cases on the embedded log. */
import { expect, test } from 'vitest'
import { runCases } from '../support/run-cases.ts'
import { createDataFolder, startRollupd } from '../support/running-service.ts'

test('all cases pass on the embedded log', async () => {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path })
  const { code, output } = await runCases(service.url)
  await service.stop()
  data.remove()
  expect(output).toMatch(/^32 passed, 0 failed$/m)
  expect(code).toBe(0)
}, 60_000)
