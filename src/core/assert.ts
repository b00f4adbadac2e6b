/** Owns the check of invariants. A failed one ends the process (law 10): replay from the last commit is safe, running on is not. */

/** Thrown when rollupd's own code broke a promise; never for bad input. The entry points log it and exit. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
}

/** Checks an invariant of ours. Errors: BrokenInvariant. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new BrokenInvariant(message)
}

/** Closes a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new BrokenInvariant(`unexpected value ${JSON.stringify(value)}`)
}

/** Reads an element whose index is known to be inside. Errors: BrokenInvariant. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const value = list[index]
  if (value === undefined) throw new BrokenInvariant(`index ${index} is outside a list of ${list.length}`)
  return value
}
