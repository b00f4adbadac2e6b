/** Owns MAX. */
import { defineExtreme } from './extreme.ts'

export const MAX = defineExtreme('max', 1, {
  summary: 'The greatest value, NULL of no values. Values of several kinds in one group: an error when it is read.',
  example: 'MAX(latency_ms)',
})
