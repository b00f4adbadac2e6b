/** A broker address that nobody answers at: the service serves, and says so from the start. */
import { expect, test } from 'vitest'
import { createDataFolder, startRollupd, waitUntil } from '../support/running-service.ts'

test('a first start without its broker serves and names the address that does not answer', async () => {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path, kafka: '127.0.0.1:1' })
  try {
    const log = await waitUntil(
      'the warning',
      async () => service.log,
      (text) => text.includes('"broker_away"'),
    )
    expect(log).toContain('127.0.0.1:1')
    const preview = { sql: 'SELECT COUNT(*) AS n FROM _input' }
    await expect(
      service.api.callJson('POST', '/v1/rollups/preview', { ...preview, source: { topic: 'events' } }),
    ).rejects.toMatchObject({ code: 'broker_away' })
    // what needs no broker asks none
    expect(await service.api.callJson('POST', '/v1/rollups/preview', { ...preview, records: ['{}'] })).toMatchObject({
      groups: [{ n: 1 }],
    })
    expect(await service.query('SELECT 1 AS one')).toMatchObject({ rows: [{ one: 1 }] })
  } finally {
    await service.stop()
    data.remove()
  }
})
