/** Owns what a preview is asked with, and its bounds. */
import type { OnError } from '../../core/policy.ts'
import type { Start } from '../start-position.ts'

export interface PreviewRequest {
  readonly sql: string
  /** Where its records come from: a topic, or the texts themselves. */
  readonly from: PreviewSource
  /** Adds what each record changed. */
  readonly steps: boolean
  readonly onError: Exclude<OnError, 'halt'>
  /** When the request came, milliseconds since 1970: the timestamp of given records. */
  readonly receivedAtMs: number
}

export type PreviewSource =
  | {
      readonly kind: 'topic'
      readonly topic: string
      /** `latest` means the newest records before the end: a preview never waits for records to come. */
      readonly start: Start
      readonly sample: number
    }
  | { readonly kind: 'records'; readonly values: readonly string[] }

/** Records of a preview that asks for no number. */
export const SAMPLE_DEFAULT = 100
/** A person looks at a few, a program at enough to trust the numbers. */
export const SAMPLE_MAX = 10_000
