/** Owns the choices that a rollup makes at its creation. */

/** What becomes of a record that can't be evaluated: kept as a dead letter, the failing part null, or the shard halts there. */
export type OnError = 'dead_letter' | 'null' | 'halt'

/** Whether records that can't be read any more halt their shard, or are counted as lost and passed. */
export type OnLoss = 'halt' | 'accept'
