/** Owns the words of the JSON field reader: what a path is, what it can find, how reading a document can end. */

/** Where a field lies: object keys, and zero-based array indexes. A key finds nothing in an array, an index nothing in an object. */
export type JsonPath = readonly (string | number)[]

/** What a path has found. MISSING is 0, so that a cleared array means nothing found. */
export const JSON_KIND = {
  MISSING: 0,
  NULL: 1,
  FALSE: 2,
  TRUE: 3,
  /** A number without point and exponent, of any length. */
  INTEGER: 4,
  /** A number with a point or an exponent. */
  DECIMAL: 5,
  /** ASCII without escapes: the bytes are the text. */
  STRING: 6,
  /** Without escapes, but not ASCII, and not checked: isValidUtf8() says whether the bytes are the text. */
  STRING_UTF8: 7,
  /** Has escapes (well-formed ones), maybe beyond ASCII: unescapeString() makes the text. */
  STRING_ESCAPED: 8,
  ARRAY: 9,
  OBJECT: 10,
} as const

/** How reading a document ends. */
export const JSON_OUTCOME = {
  OK: 0,
  INVALID_JSON: 1,
  /** Valid, but the top level is an array or a scalar. */
  NOT_OBJECT: 2,
  TOO_DEEP: 3,
  /** No byte at all. */
  EMPTY: 4,
} as const
export type JsonOutcome = (typeof JSON_OUTCOME)[keyof typeof JSON_OUTCOME]

/** Containers inside each other, the top one counted. More is a dead letter: deeper data is damage or an attack. */
export const JSON_DEPTH_MAX = 512

/** Largest value of a record; the caller checks it before reading. More is a dead letter. */
export const JSON_BYTES_MAX = 16 * 1024 * 1024
