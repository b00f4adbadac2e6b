/** Owns how a typed array of many groups grows. */

/** An array with at least that many elements: the old ones, then zeros. */
export function growArray<T extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  array: T,
  capacity: number,
): T {
  if (array.length >= capacity) return array
  const grown = new (array.constructor as new (length: number) => T)(capacity)
  grown.set(array)
  return grown
}
