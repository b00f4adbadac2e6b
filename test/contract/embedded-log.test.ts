import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedLogSource } from '../../src/adapters/embedded/embedded-log-source.ts'
import { EmbeddedLogWriter } from '../../src/adapters/embedded/embedded-log-writer.ts'
import { createWakeCounter } from '../../src/adapters/embedded/wake-counter.ts'
import { type LogUnderTest, testRecordSource } from './record-source.ts'

async function open(wake?: SharedArrayBuffer): Promise<LogUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'rollupd-log-'))
  const path = join(folder, 'log.db')
  const shared = wake === undefined ? {} : { wake }
  const sink = new EmbeddedLogWriter({ path, now: () => Date.now(), ...shared })
  const source = new EmbeddedLogSource({ path, ...shared })
  return {
    source,
    sink,
    async close() {
      await source.close()
      await sink.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const uniqueTopic = (label: string) => `${label}-${randomBytes(6).toString('hex')}`

testRecordSource('embedded log, readers woken by the writer', {
  open: () => open(createWakeCounter()),
  uniqueTopic,
})
testRecordSource('embedded log, readers that look by themselves', {
  open: () => open(),
  uniqueTopic,
})
