/** The example of sql/cameras.sql: cameras report what they see; the groups after each record. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'

const data = createDataFolder()
let service: RunningService

beforeAll(async () => {
  service = await startRollupd({ data: data.path })
})
afterAll(async () => {
  await service.stop()
  data.remove()
})

interface Sight {
  readonly event_time: string
  readonly location: string
  readonly camera: string
  readonly cats: number
  readonly dogs: number
}

test('a rollup grows record by record, late ones included', async () => {
  const sql = readFileSync(new URL('../../sql/cameras.sql', import.meta.url), 'utf8')
  await service.createTopic('cameras')
  await service.createRollup('cameras', sql, 'cameras')
  const sights: Sight[] = [
    { event_time: '2026-03-01T10:05:00Z', location: 'park', camera: 'c1', cats: 2, dogs: 1 },
    { event_time: '2026-03-01T10:20:00Z', location: 'park', camera: 'c2', cats: 0, dogs: 5 },
    { event_time: '2026-03-01T10:59:59Z', location: 'pier', camera: 'c3', cats: 1, dogs: 0 },
    { event_time: '2026-03-01T11:00:00Z', location: 'park', camera: 'c1', cats: 4, dogs: 0 },
    // an hour late
    { event_time: '2026-03-01T10:30:00Z', location: 'park', camera: 'c1', cats: 3, dogs: 1 },
  ]
  for (const [index, sight] of sights.entries()) {
    const next = await service.produce('cameras', [JSON.stringify(sight)])
    const rows = await service.rows('SELECT * FROM cameras ORDER BY hour, location', 'cameras', next)
    expect(rows).toEqual(groupsOf(sights.slice(0, index + 1)))
  }
})

/** What the statement says, computed anew from all records. */
function groupsOf(sights: readonly Sight[]): Record<string, unknown>[] {
  const keys = [
    ...new Set(sights.map(({ event_time, location }) => `${event_time.slice(0, 13)}:00:00Z|${location}`)),
  ].sort()
  return keys.map((key) => {
    const [hour = '', location = ''] = key.split('|')
    const group = sights.filter(
      (sight) => sight.event_time.startsWith(hour.slice(0, 13)) && sight.location === location,
    )
    const dogs = group.reduce((sum, sight) => sum + sight.dogs, 0)
    return {
      hour,
      location,
      cats: group.reduce((sum, { cats }) => sum + cats, 0),
      most_animals: Math.max(...group.map((sight) => sight.cats + sight.dogs)),
      my_crazy_metric: group.length * (dogs / group.length) + new Set(group.map((sight) => sight.cats)).size,
    }
  })
}
