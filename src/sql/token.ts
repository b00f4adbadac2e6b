/** Owns the shape of a token of the scanner, as far as rollupd looks at tokens. */
export interface Token {
  /** [start, end) in bytes of UTF-8. */
  readonly start: number
  readonly end: number
  /** As written. */
  readonly text: string
  readonly kind: 'identifier' | 'keyword' | 'literal' | 'other'
  /** A keyword that can't be a bare column name. */
  readonly reserved: boolean
}
