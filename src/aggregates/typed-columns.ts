/** Owns how a state column of many groups grows. */

/** A Float64Array with at least that many elements: the old ones, then zeros. */
export function growArray(array: Float64Array, capacity: number): Float64Array {
  if (array.length >= capacity) return array
  const grown = new Float64Array(capacity)
  grown.set(array)
  return grown
}
