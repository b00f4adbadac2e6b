/** Owns how a name is written in SQL so that PostgreSQL's grammar reads it back. */

/**
 * Words that can't be a bare column name. Source: PostgreSQL 18, appendix C: reserved words, and those that may be a function or type.
 * A test compares the list with the grammar.
 */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
  constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default
  deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially inner
  intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or
  order outer overlaps placing primary references returning right select session_user similar some symmetric system_user table
  tablesample then to trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
)

/** PostgreSQL's NAMEDATALEN - 1: its scanner cuts longer names without a word. */
export const NAME_BYTES_MAX = 63

const PLAIN = /^[a-z_][a-z0-9_]*$/

/** A name where any word may stand (behind a dot, behind AS). */
export function quoteLabel(name: string): string {
  return PLAIN.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** A name where a reserved word must be quoted. */
export function quoteName(name: string): string {
  return PLAIN.test(name) && !RESERVED_WORDS.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** A text in single quotes. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
