/**
 * Owns the points at which a test stops the process to kill it: ROLLUPD_FAIL_POINT=NAME@COUNT. A process that reaches its point for the COUNT-th
 * time says so on standard error and waits for its SIGKILL. Without the variable nothing happens.
 */
import { writeSync } from 'node:fs'
import { RollupdError } from '../core/errors.ts'

export const FAIL_POINTS = ['commit:before', 'commit:middle', 'commit:children', 'commit:after'] as const
export type FailPointName = (typeof FAIL_POINTS)[number]

const STANDARD_ERROR = 2

export class FailPoint {
  readonly #name: string | undefined
  #remaining: number

  /** `text` as the variable holds it; undefined or empty: never. Errors: config_invalid. */
  constructor(text: string | undefined) {
    const [name, count = '1'] = text === undefined || text === '' ? [] : text.split('@')
    if (name !== undefined && (!(FAIL_POINTS as readonly string[]).includes(name) || !/^[1-9]\d*$/.test(count))) {
      throw new RollupdError('config_invalid', `fail point ${JSON.stringify(text)} is not known`, {
        hint: `Use one of ${FAIL_POINTS.join(', ')}, and @N for the N-th time.`,
      })
    }
    this.#name = name
    this.#remaining = Number(count)
  }

  reach(name: FailPointName): void {
    if (name !== this.#name || --this.#remaining > 0) return
    // a worker's process.stderr goes through its main thread; this is there when the waiting begins
    writeSync(STANDARD_ERROR, `fail point ${name} reached\n`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
}
