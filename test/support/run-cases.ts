/** Runs the public cases of test/cases against a service. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const RUNNER = fileURLToPath(new URL('../cases/run-cases.mjs', import.meta.url))
const CASES = fileURLToPath(new URL('../cases/cases.jsonl', import.meta.url))

/** All that the runner printed; its last line is `N passed, N failed`. */
export async function runCases(url: string): Promise<{ code: number; output: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [RUNNER, url, CASES], { encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
    })
  })
}
