/** The meeting point of the record-batch decoder and what reads records from it. */

/**
 * Called for each committed data record in the order of its shard. Slices are [start, end) of `bytes`; the visitor must be
 * done with them when it returns: the buffer may be reused. start -1: null (no key, a tombstone's value).
 */
export interface RecordVisitor {
  /** True: the record that was given last, and all behind it, are not taken. Absent: all are taken. */
  readonly isHalted?: boolean
  /** The batch whose records come next. `bytes` is the (decompressed) records section that slices refer to. */
  beginBatch(bytes: Uint8Array): void
  record(
    offset: number,
    timestampMs: number,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
    /** Where the headers begin: findHeader() (record-headers.ts) walks them when a plan needs one. */
    headersStart: number,
    headerCount: number,
  ): void
}
