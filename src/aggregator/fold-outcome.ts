/** Owns what can become of a record that is evaluated. */
export const FOLDED = 0
export const FILTERED = 1
/** Nothing was changed; the fold's `failure` says why. */
export const FAILED = 2
