/** Owns how a plan's part of a fold's text ends for a record. */
import { FILTERED, FOLDED } from './fold-outcome.ts'

/** Statements of the text. */
export interface FoldExits {
  readonly folded: string
  readonly filtered: string
  /** `error`: a JavaScript expression; `context`: the number of what failed. */
  fail(error: string, context: number): string
}

/** The function's own: what it returns is the outcome. */
export const EXITS_ALONE: FoldExits = {
  folded: `return ${FOLDED}`,
  filtered: `return ${FILTERED}`,
  fail: (error, context) => `return failWith(${error}, ${context})`,
}

/** Numbers of `tally` that a plan of a set has: its records that were folded, that were filtered, and that met a mismatch of kinds. */
export const TALLY = { folded: 0, filtered: 1, mismatched: 2, size: 3 } as const

/** The block `planN` is left, and the next plan has its turn. */
export function exitsOfPlan(plan: number, canMismatch: boolean): FoldExits {
  const first = plan * TALLY.size
  const noteMismatch = canMismatch ? `if (r.kindMismatch) tally[${first + TALLY.mismatched}]++; ` : ''
  return {
    folded: `${noteMismatch}tally[${first + TALLY.folded}]++`,
    filtered: `{ ${noteMismatch}tally[${first + TALLY.filtered}]++; break plan${plan} }`,
    fail: (error, context) => `{ failWith(${error}, ${context}); break plan${plan} }`,
  }
}
