/** The middle value, of an even number of them the upper one: a value that was seen. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
