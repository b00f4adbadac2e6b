/** Owns comparisons with any or all elements of a JSON array: `x = ANY (tags)`. Elements are compared as by the operator itself. */
import { firstPart, nextElement } from '../../core/json-elements.ts'
import { readJsonInto } from '../../core/json-path.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { isArray } from '../../core/value-kind.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, wrongKind } from './argument.ts'
import { isComparable } from './comparison.ts'
import { compareValues, FAILED, KINDS_DIFFER } from './compare-values.ts'
import { beginOf, isJsonType } from './json-value.ts'

interface Comparison {
  readonly id: string
  readonly name: string
  readonly holds: (order: number) => boolean
}

/** The element that decides ends it; else null where one was null or of another kind. `out` holds each element in turn. */
function compareElements(
  r: Registers,
  out: number,
  a: number,
  b: number,
  title: string,
  wanted: boolean,
  holds: Comparison['holds'],
): void {
  if (r.tag[b] === TAG.NULL) {
    r.setNull(out)
    return
  }
  if (r.tag[b] !== TAG.JSON || !isArray(r, b)) {
    wrongKind(r, out, title, b)
    return
  }
  const bytes = r.ref[b] as Uint8Array
  let unknown = false
  for (let at = firstPart(bytes, beginOf(r, b)); at >= 0; at = nextElement(bytes, at)) {
    readJsonInto(bytes, at, r, out)
    if (r.tag[out] === TAG.ERROR) return
    if (r.tag[a] === TAG.NULL || r.tag[out] === TAG.NULL) {
      unknown = true
      continue
    }
    const order = compareValues(r, out, a, out)
    if (order === FAILED) return
    if (order === KINDS_DIFFER) {
      r.kindMismatch = true
      unknown = true
    } else if (holds(order) === wanted) {
      r.setBoolean(out, wanted)
      return
    }
  }
  if (unknown) r.setNull(out)
  else r.setBoolean(out, !wanted)
}

function entry({ id, name, holds }: Comparison, quantifier: 'any' | 'all'): FunctionEntry {
  const wanted = quantifier === 'any'
  const title = `${name} ${quantifier.toUpperCase()}`
  return {
    id: `${id}_${quantifier}`,
    name: `${name} ${quantifier}`,
    form: 'operator',
    resolve: ([value, array, further]) =>
      isComparable(value, 'any') && isJsonType(array) && further === undefined ? 'boolean' : undefined,
    signature: `value ${title} (array)`,
    strict: false,
    canFail: always,
    evaluate: (r, out, a, b) => compareElements(r, out, a, b, title, wanted, holds),
    print: ([value, array]) => `${value} ${title} (${array})`,
    doc: {
      summary: `Whether the comparison holds for ${wanted ? 'any element' : 'all elements'} of the array.`,
      example: `'new' ${title} (tags)`,
    },
  }
}

const COMPARISONS: readonly Comparison[] = [
  { id: 'equal', name: '=', holds: (order) => order === 0 },
  { id: 'not_equal', name: '<>', holds: (order) => order !== 0 },
  { id: 'less', name: '<', holds: (order) => order < 0 },
  { id: 'less_or_equal', name: '<=', holds: (order) => order <= 0 },
  { id: 'greater', name: '>', holds: (order) => order > 0 },
  { id: 'greater_or_equal', name: '>=', holds: (order) => order >= 0 },
]

export const ARRAY_COMPARISONS: readonly FunctionEntry[] = COMPARISONS.flatMap((comparison) => [
  entry(comparison, 'any'),
  entry(comparison, 'all'),
])
