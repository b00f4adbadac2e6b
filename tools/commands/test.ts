/** Owns `./dev test`: which tests run, what they need, and the closing line. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../command-error.ts'
import { findKafkaRuntime } from '../kafka/kafka-runtime.ts'
import { CHECKOUT, runProgram } from '../run-program.ts'
import { formatTestCounts, type TestCounts } from '../test-reporter.ts'

const VITEST = join(CHECKOUT, 'node_modules', 'vitest', 'vitest.mjs')
/** Projects of vitest.config.ts, chosen by their own names. */
const PROJECTS = ['unit', 'service', 'kafka', 'package']
/** Folders of test/ in which tests with a broker stand. */
const FOLDERS_WITH_BROKER = ['integration']

/**
 * Runs the tests that the words name (none: all; projects; else folders of test/), with vitest's flags after them.
 * Caller gets the exit code. Errors: CommandError for an unknown word, or where a broker is needed and can't be had.
 */
export async function runTests(words: readonly string[], flags: readonly string[]): Promise<number> {
  const selection = words.flatMap((word) => (PROJECTS.includes(word) ? ['--project', word] : [toTestFolder(word)]))
  const needsBroker = words.length === 0 || words.some((word) => word === 'kafka' || FOLDERS_WITH_BROKER.includes(word))
  if (needsBroker) await requireBroker()
  const folder = mkdtempSync(join(tmpdir(), 'rollupd-test-'))
  const countsFile = join(folder, 'counts.json')
  try {
    const exitCode = await runProgram(process.execPath, [VITEST, 'run', ...selection, ...flags], {
      ROLLUPD_TEST_COUNTS: countsFile,
    })
    const counts = readCounts(countsFile, exitCode)
    process.stdout.write(`${formatTestCounts(counts)}\n`)
    return exitCode === 0 && counts.failed > 0 ? 1 : exitCode
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A run that ended badly without a failed test (the runner itself, a clean-up) counts as one failure. */
function readCounts(file: string, exitCode: number): TestCounts {
  const counts = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as TestCounts)
    : { passed: 0, failed: 0, skipped: 0 }
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

function toTestFolder(word: string): string {
  const folders = readdirSync(join(CHECKOUT, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
  const path = word.replace(/^test\//, '')
  if (path === '' || !existsSync(join(CHECKOUT, 'test', path))) {
    throw new CommandError(`no tests are named "${word}"`, `There are ${[...PROJECTS, ...folders].join(', ')}.`)
  }
  return `test/${path}`
}

async function requireBroker(): Promise<void> {
  const runtime = await findKafkaRuntime()
  if ('missing' in runtime) {
    throw new CommandError(
      `the tests with a real Kafka need ${runtime.missing}`,
      'Without them `./dev test unit service` runs every test that needs no broker.',
    )
  }
}
