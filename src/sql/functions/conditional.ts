/** Owns conditional functions. CASE and COALESCE stop early and are nodes of their own (expression.ts). */
import { TAG } from '../../core/registers.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { compareValues, FAILED, KINDS_DIFFER } from './compare-values.ts'
import { isComparable } from './comparison.ts'

export const CONDITIONAL_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'nullif',
    name: 'nullif',
    form: 'function',
    resolve: ([left, right, further]) => (isComparable(left, right) && further === undefined ? left : undefined),
    signature: 'nullif(value, value of the same kind)',
    strict: false,
    canFail: (args) => args.every((type) => type === 'any'),
    evaluate: (r, out, a, b) => {
      if (r.tag[a] === TAG.NULL || r.tag[b] === TAG.NULL) {
        r.copy(out, a)
        return
      }
      const order = compareValues(r, out, a, b)
      if (order === FAILED) return
      if (order === KINDS_DIFFER) r.kindMismatch = true
      if (order === 0) r.setNull(out)
      else r.copy(out, a)
    },
    doc: { summary: 'Null where the two are equal, else the first.', example: "nullif(country, '')" },
  },
]
