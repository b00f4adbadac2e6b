/** Owns the memory that the engine gives a thread of ours. */

/**
 * The threads that read and commit make next to no objects, so a small young generation serves them: seen, 60 MB less at the peak of a
 * fine rollup at the same speed. Megabytes.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 } as const
