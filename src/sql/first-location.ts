/** Owns the place of a part of the statement that the grammar gives none: where its leftmost piece stands. */

/** 0-based byte, as the grammar's own locations; undefined where no piece has one. */
export function firstLocation(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  let first: number | undefined
  for (const [name, value] of Object.entries(node)) {
    const location = name === 'location' && typeof value === 'number' ? value : firstLocation(value)
    if (location !== undefined && location >= 0 && (first === undefined || location < first)) first = location
  }
  return first
}
