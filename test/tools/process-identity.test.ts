import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { endProcess, identifyProcess, isRunning } from '../../tools/up/process-identity.ts'

const children: ReturnType<typeof spawn>[] = []

function startNode(program: string): ReturnType<typeof spawn> {
  const child = spawn(process.execPath, ['-e', `${program}; process.stdout.write('ready')`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  return child
}

async function identifyStarted(child: ReturnType<typeof spawn>) {
  if (child.stdout !== null) await once(child.stdout, 'data')
  const identity = await identifyProcess(child.pid ?? 0)
  if (identity === undefined) throw new Error('the child does not run')
  return identity
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

test('a recorded process is ended, by force when it ignores SIGTERM', async () => {
  for (const program of ['setInterval(() => {}, 1e6)', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)"]) {
    const child = startNode(program)
    const identity = await identifyStarted(child)
    expect(await isRunning(identity)).toBe(true)
    expect(await endProcess(identity, 200)).toBe(true)
    expect(await isRunning(identity)).toBe(false)
    expect(await endProcess(identity, 200)).toBe(false)
  }
})

test('another process that got the recorded id is left alone', async () => {
  const child = startNode('setInterval(() => {}, 1e6)')
  const identity = await identifyStarted(child)
  expect(await endProcess({ ...identity, started: 'earlier' }, 0)).toBe(false)
  expect(await isRunning(identity)).toBe(true)
})
