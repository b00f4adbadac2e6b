/** Owns the refusal that ends a try to compile a SELECT over folded groups (folded-select.ts). */

/** Thrown where only the groups themselves will do. */
export class NotFolded extends Error {}
