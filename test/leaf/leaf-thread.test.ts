import { afterEach, beforeEach, expect, test } from 'vitest'
import { LeafCommitPort } from '../../src/leaf/leaf-commit-port.ts'
import { LeafThreadClient } from '../../src/leaf/leaf-thread-client.ts'
import { SqliteLeaf } from '../../src/leaf/sqlite-leaf.ts'
import { commitAll, folderDefinition, RecordFolder } from './folded-records.ts'
import { makeDirectory, shardOf } from './leaf-fixture.ts'

let directory: ReturnType<typeof makeDirectory>
let fatal: unknown[]

beforeEach(() => {
  directory = makeDirectory()
  fatal = []
})

afterEach(() => directory.remove())

async function start(): Promise<LeafThreadClient> {
  const leaf = new LeafThreadClient({
    workerUrl: new URL('../../src/main/leaf-worker.ts', import.meta.url),
    path: directory.path('leaf.db'),
    deadLettersMax: 10,
    onFatal: (error) => fatal.push(error),
  })
  try {
    await leaf.opened
  } catch (error) {
    await leaf.close()
    throw error
  }
  return leaf
}

test('calls are answered, and errors keep code, message, hint and detail', async () => {
  const leaf = await start()
  const definition = folderDefinition('r')
  const rollup = await leaf.createRollup(definition)
  expect(rollup.plan).toEqual(definition.plan)
  expect(await leaf.findRollup('r')).toEqual(rollup)
  expect(await leaf.findRollup('other')).toBeUndefined()
  await expect(leaf.createRollup(definition)).rejects.toMatchObject({
    name: 'RollupdError',
    code: 'already_exists',
    message: 'rollup "r" exists already',
    hint: 'Drop it first, or choose another name.',
  })
  await leaf.changeShard(rollup.id, shardOf(0), { kind: 'halt', reason: { code: 'lost', message: 'gone' } }, 'halted')
  await leaf.setStatus(rollup.id, 'halted', { code: 'lost', message: 'gone' })
  await leaf.addShards(rollup.id, [{ shard: shardOf(1), startOffset: 4 }])
  await leaf.pruneShards(rollup.id, [shardOf(0)])
  expect(await leaf.listRollups()).toMatchObject([
    { status: 'halted', warnings: ['halted'], shards: [{ startOffset: 4 }], pruned: { shards: 1 } },
  ])
  expect(await leaf.listDeadLetters(rollup.id, 10, 0)).toEqual([])
  expect((await leaf.figures()).epoch).toBe(5)
  await leaf.dropRollup('r')
  expect(await leaf.listRollups()).toEqual([])
  await leaf.close()
  await leaf.close()
  await expect(leaf.listRollups()).rejects.toMatchObject({ code: 'shutting_down' })
  expect(fatal).toEqual([])
})

test('commits of many ports that wait at the same time become few transactions', async () => {
  const leaf = await start()
  const names = Array.from({ length: 10 }, (_, index) => `r${index}`)
  const definition = folderDefinition('r')
  const rollups = []
  for (const name of names) rollups.push(await leaf.createRollup({ ...definition, name }))
  const before = (await leaf.figures()).epoch
  await Promise.all(
    rollups.map(async (rollup) => {
      const port = new LeafCommitPort(leaf.connect())
      await commitAll(port, new RecordFolder(rollup), 0, 1000, 100)
      port.close()
    }),
  )
  const { epoch } = await leaf.figures()
  expect(epoch - before).toBeGreaterThanOrEqual(10)
  expect(epoch - before).toBeLessThan(100)
  for (const { shards, groups } of await leaf.listRollups()) {
    expect(groups).toBe(7)
    expect(shards).toMatchObject([{ nextOffset: 1000, counts: { aggregated: 1000 } }])
  }
  await leaf.close()
  expect(fatal).toEqual([])
})

test('a batch that was on its way when the leaf closed is stored or refused, never left without an answer', async () => {
  const leaf = await start()
  const rollup = await leaf.createRollup(folderDefinition('r'))
  const port = new LeafCommitPort(leaf.connect())
  const folder = new RecordFolder(rollup)
  const first = port.commit(folder.fold(0, 10))
  const closed = leaf.close()
  const outcome = await first.then(
    ({ taken }) => (taken ? 10 : 0),
    (error: { code: string }) => (error.code === 'shutting_down' ? 0 : -1),
  )
  await closed
  await expect(port.commit(folder.fold(10, 20))).rejects.toMatchObject({ code: 'shutting_down' })
  const reopened = new SqliteLeaf(directory.path('leaf.db'), { now: () => 0 })
  expect(reopened.findRollup('r')?.shards[0]?.nextOffset).toBe(outcome)
  reopened.close()
})

test('a broken invariant in the thread is fatal, with its message', async () => {
  const leaf = await start()
  await leaf.createRollup(folderDefinition('r'))
  const port = new LeafCommitPort(leaf.connect())
  await expect(port.commit(new ArrayBuffer(64))).rejects.toMatchObject({ code: 'shutting_down' })
  expect(fatal).toMatchObject([{ name: 'BrokenInvariant', message: expect.stringContaining('version') }])
})

test('a leaf that cannot be opened says why', async () => {
  const leaf = await start()
  await leaf.close()
  const { default: BetterSqlite3 } = await import('better-sqlite3')
  const database = new BetterSqlite3(directory.path('leaf.db'))
  database.pragma('user_version = 999')
  database.close()
  await expect(start()).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('schema 999'),
  })
})
