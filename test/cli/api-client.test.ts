/** What the command line makes of an address where no rollupd answers. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ApiClient } from '../../src/cli/api-client.ts'

test('nothing answers, or something else does', async () => {
  const server = createServer((_, response) => response.writeHead(500).end('<html>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new ApiClient({ url, token: undefined })
  await expect(client.callJson('GET', '/v1/rollups')).rejects.toMatchObject({
    code: 'server_away',
    message: expect.stringContaining('is not rollupd'),
  })
  await new Promise((resolve) => server.close(resolve))
  await expect(client.callJson('GET', '/v1/rollups')).rejects.toMatchObject({
    code: 'server_away',
    message: expect.stringContaining(url),
  })
})
