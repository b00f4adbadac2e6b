/** The closing line of ./dev test, and what it says where there is nothing to run a broker with. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CHECKOUT = dirname(dirname(import.meta.dirname))
const VITEST_TIMEOUT_MS = 60_000

let folder: string

beforeEach(() => {
  // inside the checkout, where vitest is found
  mkdirSync(join(CHECKOUT, '.dev'), { recursive: true })
  folder = mkdtempSync(join(CHECKOUT, '.dev', 'test-command-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

function runNode(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ exitCode: number; output: string; lastLine: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...environment, NO_COLOR: '1' } }
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) => {
      const lastLine = stdout.trimEnd().split('\n').at(-1) ?? ''
      resolve({ exitCode: child.exitCode ?? -1, output: `${stdout}${stderr}`, lastLine })
    })
  })
}

/** Runs vitest with our reporter over the given test files. */
function runVitest(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const reporter = join(CHECKOUT, 'tools', 'test-reporter.ts')
  const config = `export default { test: { include: ['*.test.ts'], reporters: ['default', ${JSON.stringify(reporter)}] } }\n`
  writeFileSync(join(folder, 'vitest.config.ts'), config)
  const environment = { ...process.env }
  // this run's own
  delete environment['ROLLUPD_TEST_COUNTS']
  return runNode([join(CHECKOUT, 'node_modules', 'vitest', 'vitest.mjs'), 'run'], environment)
}

const PASSING = "import { test } from 'vitest'\ntest('a', () => {})\ntest('b', () => {})\n"

test('all suites are summed', { timeout: VITEST_TIMEOUT_MS }, async () => {
  const files = {
    'one.test.ts': PASSING,
    'two.test.ts': "import { test } from 'vitest'\ntest.skip('a', () => {})\ntest('b', () => {})\n",
  }
  expect(await runVitest(files)).toMatchObject({ exitCode: 0, lastLine: '3 passed, 0 failed, 1 skipped' })
})

test(
  'failures are counted, also a file that cannot be loaded and an error outside of tests',
  { timeout: VITEST_TIMEOUT_MS },
  async () => {
    const files = {
      'passing.test.ts': PASSING,
      'failing.test.ts': "import { test } from 'vitest'\ntest('a', () => { throw new Error('no') })\n",
      'unloadable.test.ts': "import './nowhere.ts'\n",
      'stray.test.ts': "import { test } from 'vitest'\ntest('a', () => { void Promise.reject(new Error('stray')) })\n",
    }
    expect(await runVitest(files)).toMatchObject({ exitCode: 1, lastLine: '3 passed, 3 failed' })
  },
)

test('without Java, Maven and Docker all tests are refused, with what is missing and what works', async () => {
  const environment: NodeJS.ProcessEnv = { ...process.env, PATH: folder }
  delete environment['JAVA_HOME']
  const { exitCode, output } = await runNode([join(CHECKOUT, 'tools', 'dev.ts'), 'test'], environment)
  expect(exitCode).toBe(1)
  expect(output).toContain('Java 17 or later')
  expect(output).toContain('Maven')
  expect(output).toContain('Docker')
  expect(output).toContain('./dev test unit')
})

test('an unknown word is refused with the known ones', async () => {
  const { exitCode, output } = await runNode([join(CHECKOUT, 'tools', 'dev.ts'), 'test', 'untit'], process.env)
  expect(exitCode).toBe(1)
  expect(output).toMatch(/"untit"[\s\S]*unit, service, kafka, package/)
})
