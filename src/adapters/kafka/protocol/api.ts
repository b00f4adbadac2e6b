/** Owns what a request of Kafka's protocol is to this adapter: one constant a file beside this one. */
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** Source: https://kafka.apache.org/protocol, and the JSON grammars in Kafka's clients/src/main/resources/common/message. */
export interface Api<Request, Answer> {
  readonly name: string
  readonly key: number
  readonly version: number
  /** Flexible versions (KIP-482) have compact lengths, and tagged fields behind each structure and in both headers. */
  readonly flexible: boolean
  encode(writer: WireWriter, request: Request): void
  decode(reader: WireReader): Answer
}
