/**
 * Owns the closing line of a test run, `N passed, N failed`: all suites summed, a file that can't be loaded and an error
 * outside of any test counted as failed. ./dev test prints it last of all, from the file that ROLLUPD_TEST_COUNTS names.
 */
import { writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The closing line. */
export function formatTestCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

function countTests(modules: readonly TestModule[], unhandled: readonly SerializedError[]): TestCounts {
  let [passed, failed, skipped] = [0, unhandled.length, 0]
  for (const testModule of modules) {
    let failedHere = 0
    for (const test of testModule.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') passed++
      else if (state === 'skipped') skipped++
      else failedHere++
    }
    // a file that can't be loaded, or whose hooks fail, fails without a failed test
    failed += testModule.state() === 'failed' ? Math.max(failedHere, 1) : failedHere
  }
  return { passed, failed, skipped }
}

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = countTests(modules, unhandled)
    const file = process.env['ROLLUPD_TEST_COUNTS']
    if (file === undefined) process.stdout.write(`${formatTestCounts(counts)}\n`)
    else writeFileSync(file, JSON.stringify(counts))
  }
}
