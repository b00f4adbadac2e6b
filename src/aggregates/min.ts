/** Owns MIN. */
import { defineExtreme } from './extreme.ts'

export const MIN = defineExtreme('min', -1, {
  summary: 'The least value, NULL of no values. Values of several kinds in one group: an error when it is read.',
  example: 'MIN(latency_ms)',
})
