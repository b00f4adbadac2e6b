/** An aborted transaction that reaches into a fetched range (Kafka's Fetch response). */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: number
}
