/**
 * Owns how a writer wakes the long polls of readers in other threads: a counter in shared memory that rises with each append.
 */

/** A counter that writer and readers share; pass it on as worker data. */
export function createWakeCounter(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}

/** Wakes who waits. */
export function wakeReaders(counter: Int32Array): void {
  Atomics.add(counter, 0, 1)
  Atomics.notify(counter, 0)
}

/** Ends when the counter is another than `seen`, or after the time. Never fails. */
export async function waitForWake(counter: Int32Array, seen: number, timeMs: number): Promise<void> {
  const wait = Atomics.waitAsync(counter, 0, seen, timeMs)
  if (wait.async) await wait.value
}
