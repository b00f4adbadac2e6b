/** The short form of the kill test; `./dev fuzz kill` is the long one. */
import { expect, test } from 'vitest'
import { runKillTest } from '../../support/kill-run.ts'

test('a service and a broker that are killed again and again leave every group as the oracle has it', async () => {
  const report = await runKillTest({ records: 150_000, kills: 6, commitKills: 4, brokerKills: 1, seed: 7 })
  expect(report.differences).toEqual([])
  expect(report.kills).toBe(6)
  expect(report.commitKills).toEqual({
    'commit:before': 1,
    'commit:middle': 1,
    'commit:children': 1,
    'commit:after': 1,
  })
  expect(report.brokerKills).toBeGreaterThanOrEqual(1)
  expect(report.groups).toBeGreaterThan(1000)
}, 240_000)
