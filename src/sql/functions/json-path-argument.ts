/** Owns paths into JSON values as arguments of functions: the text of an array, or a JSON array of texts. */
import { firstPart, nextElement } from '../../core/json-elements.ts'
import { readJsonInto } from '../../core/json-path.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import { isArray } from '../../core/value-kind.ts'
import { RollupdError } from '../../core/errors.ts'
import type { Expression } from '../expression.ts'
import { isOneOf, isText, quote, textOf, wrongKind } from './argument.ts'
import { beginOf } from './json-value.ts'
import { parseTextArray } from './text-array.ts'

export interface PathStep {
  readonly text: string
  /** The key that it is of an object, UTF-8. */
  readonly key: Uint8Array
  /** The place that it is in an array, from the end where it is negative; NaN: none. */
  readonly index: number
}

/** A step may be null: only a JSON array holds one. */
export type JsonPath = readonly (PathStep | null)[]

/** What strtol takes: PostgreSQL reads places by it. */
const INTEGER = /^[ \t\n\v\f\r]*[+-]?\d+$/
const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1

export const isPathType = (type: ScalarType | undefined): boolean => isOneOf(type, 'text', 'jsonb', 'any')

export function toStep(text: string): PathStep {
  const index = INTEGER.test(text) ? Number(text) : NaN
  const isPlace = index >= INT32_MIN && index <= INT32_MAX
  return { text, key: Buffer.from(text, 'utf8'), index: isPlace ? index : NaN }
}

/** The path in register b; undefined where an error was written. */
export function readPath(r: Registers, out: number, b: number, name: string): JsonPath | undefined {
  if (isText(r, b)) {
    const path = parseTextArray(textOf(r, b))?.map(toStep)
    if (path === undefined) r.setError(out, 'invalid_argument', `${quote(r, b)} is not a path`)
    return path
  }
  if (r.tag[b] !== TAG.JSON || !isArray(r, b)) {
    wrongKind(r, out, name, b)
    return undefined
  }
  return readSteps(r, out, b, name)
}

function readSteps(r: Registers, out: number, b: number, name: string): JsonPath | undefined {
  const bytes = r.ref[b] as Uint8Array
  const path: (PathStep | null)[] = []
  for (let at = firstPart(bytes, beginOf(r, b)); at >= 0; at = nextElement(bytes, at)) {
    readJsonInto(bytes, at, r, out)
    if (r.tag[out] === TAG.ERROR) return undefined
    if (r.tag[out] === TAG.NULL) {
      path.push(null)
      continue
    }
    if (!isText(r, out)) {
      r.setError(out, 'wrong_kind', `${name} takes texts in its path`)
      return undefined
    }
    path.push(toStep(textOf(r, out)))
  }
  return path
}

/** The steps of a path that is written as a text. Errors: sql_invalid for a text that is no array. */
export function literalPath(argument: Expression | undefined): JsonPath | undefined {
  if (argument?.kind !== 'literal' || argument.type !== 'text' || typeof argument.value !== 'string') return undefined
  const path = parseTextArray(argument.value)
  if (path !== undefined) return path.map(toStep)
  throw new RollupdError('sql_invalid', `"${argument.value}" is not a path`, {
    position: argument.position,
    hint: "Write the steps in braces, such as '{device,os}' or '{tags,0}'.",
  })
}
