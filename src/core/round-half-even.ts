/** Owns rounding a double to a whole one as C's rint does: half to even. */

/** From here on every double is whole. */
const WHOLE_FROM = 2 ** 52

export function roundHalfEven(value: number): number {
  if (!(Math.abs(value) < WHOLE_FROM)) return value
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest < 0.5) return floor
  if (rest > 0.5) return floor + 1
  return floor % 2 === 0 ? floor : floor + 1
}
