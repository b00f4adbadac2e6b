/** Processes that are killed: what is stored stays whole, and the next one goes on exactly. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RollupdError } from '../../src/core/errors.ts'
import { FAIL_POINTS, FailPoint } from '../../src/leaf/fail-point.ts'
import { openLeafReader } from '../../src/leaf/leaf-database.ts'
import { OwnerLock } from '../../src/leaf/owner-lock.ts'
import { GROUPS } from './folded-records.ts'
import { makeDirectory } from './leaf-fixture.ts'

const CHILD = fileURLToPath(new URL('commit-child.ts', import.meta.url))
const RECORDS = 10_000
const PER_BATCH = 500

let directory: ReturnType<typeof makeDirectory>

beforeEach(() => {
  directory = makeDirectory()
})

afterEach(() => directory.remove())

function startChild(failPoint?: string): ChildProcess {
  const env = { ...process.env, ...(failPoint === undefined ? {} : { ROLLUPD_FAIL_POINT: failPoint }) }
  return spawn(process.execPath, [CHILD, directory.path('')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Waits for the text on one of its streams. */
async function waitFor(child: ChildProcess, stream: 'stdout' | 'stderr', text: string): Promise<void> {
  let seen = ''
  for await (const chunk of child[stream] ?? []) {
    seen += String(chunk)
    if (seen.includes(text)) return
  }
  throw new Error(`the child ended without ${JSON.stringify(text)}: ${seen}`)
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Position, records of all groups, sum of the totals; from the stored rows. */
function readStored(): { next: number; records: number; sum: number; maxima: number[] } {
  const reader = openLeafReader(directory.path('leaf.db'))
  try {
    const rows = reader
      .prepare<[], { n: number; count: number; top: number }>(
        'SELECT n, p0 AS count, p1_top AS top FROM g1 ORDER BY key',
      )
      .safeIntegers(false)
      .all()
    const next = reader.prepare<[], number>('SELECT next_offset FROM shards').pluck().safeIntegers(false).get() ?? -1
    expect(rows.map(({ count }) => count)).toEqual(rows.map(({ n }) => n))
    // what follows it is of the same commit
    const states = (table: string): unknown[] =>
      reader.prepare(`SELECT key, k0, n, p0, p1_top, epoch FROM ${table} ORDER BY key`).all()
    expect(states('g2')).toEqual(states('g1'))
    return {
      next,
      records: rows.reduce((sum, { n }) => sum + n, 0),
      sum: rows.reduce((sum, { top }) => sum + top, 0),
      maxima: rows.map(({ n }) => n),
    }
  } finally {
    reader.close()
  }
}

function expectWhole(next: number): void {
  const stored = readStored()
  expect(stored).toMatchObject({ next, records: next, sum: (next * (next - 1)) / 2 })
  expect(stored.maxima).toHaveLength(next === 0 ? 0 : GROUPS)
}

test.each(FAIL_POINTS)(
  'killed at %s: position and states are of one commit, and the next life goes on exactly',
  async (name) => {
    const child = startChild(`${name}@3`)
    await waitFor(child, 'stderr', `fail point ${name} reached`)
    await kill(child)
    expectWhole(name === 'commit:after' ? 3 * PER_BATCH : 2 * PER_BATCH)
    const again = startChild()
    const [code] = (await once(again, 'exit')) as [number]
    expect(code).toBe(0)
    expectWhole(RECORDS)
  },
)

test('a second process is refused with the id of the first, and the directory is free once that is killed', async () => {
  const child = startChild('commit:middle')
  await waitFor(child, 'stderr', 'fail point')
  const path = directory.path('owner.db')
  expect(() => OwnerLock.take(path)).toThrow(
    expect.objectContaining({
      code: 'data_in_use',
      detail: { pid: child.pid },
      message: expect.stringContaining(`process ${child.pid}`),
    }),
  )
  await kill(child)
  const lock = OwnerLock.take(path)
  expect(() => OwnerLock.take(path)).toThrow(RollupdError)
  lock.release()
  OwnerLock.take(path).release()
})

test('a directory that is not there is named', () => {
  expect(() => OwnerLock.take(directory.path('nothing/owner.db'))).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  )
})

test('an unknown fail point is refused, none is never reached', () => {
  expect(() => new FailPoint('commit:never')).toThrow(RollupdError)
  expect(() => new FailPoint('commit:after@0')).toThrow(RollupdError)
  new FailPoint(undefined).reach('commit:after')
  new FailPoint('commit:after@2').reach('commit:after')
})
