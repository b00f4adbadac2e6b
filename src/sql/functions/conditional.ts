/** Owns conditional functions: nullif, greatest and least. CASE and COALESCE stop early and are nodes of their own (expression.ts). */
import { type Registers, TAG } from '../../core/registers.ts'
import { NUMBER_TYPES, type ScalarType } from '../../core/scalar-type.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { isOneOf, variadic } from './argument.ts'
import { compareTimes, compareValues, FAILED, KINDS_DIFFER } from './compare-values.ts'
import { areMixedTimes, isComparable } from './comparison.ts'
import { isJsonType } from './json-value.ts'

const NOT_COMPARED: readonly (ScalarType | undefined)[] = ['unknown', undefined]

/** The analyser has made the arguments one type: equal ones, or numbers of several, or some of them undeclared. */
function resolveExtreme(args: readonly ScalarType[]): ScalarType | undefined {
  const [first] = args
  if (NOT_COMPARED.includes(first)) return undefined
  if (args.every((type) => type === first)) return first
  if (args.some((type) => NOT_COMPARED.includes(type))) return undefined
  if (args.includes('any')) return 'any'
  if (!args.every((type) => NUMBER_TYPES.has(type))) return undefined
  if (args.includes('number') || !args.includes('bigint')) return 'number'
  return args.every((type) => isOneOf(type, 'bigint', 'numeric')) ? 'numeric' : undefined
}

/** Writes the greatest (direction 1) or least (-1) that isn't NULL, of equal ones the first; two kinds: NULL, and counted. */
function extreme(r: Registers, out: number, direction: number, candidates: readonly number[]): void {
  let best = -1
  for (let place = 0; place < candidates.length; place++) {
    const index = candidates[place] as number
    if (r.tag[index] === TAG.NULL) continue
    const order = best < 0 ? direction : compareValues(r, out, index, best)
    if (order === FAILED) return
    if (order === KINDS_DIFFER) {
      r.kindMismatch = true
      r.setNull(out)
      return
    }
    if (order === direction) best = index
  }
  if (best < 0) r.setNull(out)
  else r.copy(out, best)
}

function extremeEntry(name: 'greatest' | 'least', direction: number): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveExtreme,
    signature: `${name}(value [, ...])`,
    variadic: true,
    strict: false,
    canFail: (args) => args.some(isJsonType),
    evaluate: variadic((r, out, args) => extreme(r, out, direction, args)),
    doc: {
      summary: `The ${name} of the values that aren't null; null where all are.`,
      example: `${name}(price, floor_price)`,
    },
  }
}

export const CONDITIONAL_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'nullif',
    name: 'nullif',
    form: 'function',
    resolve: ([left, right, further]) => (isComparable(left, right) && further === undefined ? left : undefined),
    signature: 'nullif(value, value of the same kind)',
    strict: false,
    canFail: (args) => args.every(isJsonType),
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
    specialize: (args) =>
      areMixedTimes(args)
        ? (r, out, a, b) => {
            const isEqual = r.tag[a] !== TAG.NULL && r.tag[b] !== TAG.NULL && compareTimes(r, a, b) === 0
            if (isEqual) r.setNull(out)
            else r.copy(out, a)
          }
        : undefined,
    doc: { summary: 'Null where the two are equal, else the first.', example: "nullif(country, '')" },
  },
  extremeEntry('greatest', 1),
  extremeEntry('least', -1),
]
