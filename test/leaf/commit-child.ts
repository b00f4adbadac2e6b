/** A process that commits records 0 to 10,000 from where the leaf stands: node commit-child.ts DIRECTORY. Killed by the crash test. */
import { join } from 'node:path'
import { LeafCommitPort } from '../../src/leaf/leaf-commit-port.ts'
import { LeafThreadClient } from '../../src/leaf/leaf-thread-client.ts'
import { OwnerLock } from '../../src/leaf/owner-lock.ts'
import { commitAll, folderDefinition, followerDefinition, RecordFolder } from './folded-records.ts'

const RECORDS = 10_000
const PER_BATCH = 500

const directory = process.argv[2]
if (directory === undefined) throw new Error('usage: node commit-child.ts DIRECTORY')
const lock = OwnerLock.take(join(directory, 'owner.db'))
const leaf = new LeafThreadClient({
  workerUrl: new URL('../../src/main/leaf-worker.ts', import.meta.url),
  path: join(directory, 'leaf.db'),
  deadLettersMax: 10,
  onFatal: (error) => {
    throw error
  },
})
const rollup = (await leaf.findRollup('r')) ?? (await leaf.createRollup(folderDefinition('r')))
if ((await leaf.findRollup('f')) === undefined) await leaf.createRollup(await followerDefinition('f', rollup))
process.stdout.write('ready\n')
const port = new LeafCommitPort(leaf.connect())
await commitAll(port, new RecordFolder(rollup), rollup.shards[0]?.nextOffset ?? 0, RECORDS, PER_BATCH)
port.close()
await leaf.close()
lock.release()
