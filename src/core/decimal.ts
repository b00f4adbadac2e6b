/** Owns exact decimal numbers: value = unscaled * 10^-scale. */
export interface Decimal {
  readonly unscaled: bigint
  /** >= 0 */
  readonly scale: number
}
