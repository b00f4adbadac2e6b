/**
 * Owns @> and <@. Both sides are compared as key bytes (core/key-bytes.ts): there every value has one form, and an object's keys are in order.
 * Source: PostgreSQL, "jsonb Containment and Existence".
 */
import { KEY_TAG, KeyWriter } from '../../core/key-bytes.ts'
import { skipKey, skipKeyText } from '../../core/key-reader.ts'
import { normalizeDecimal, parseDecimal } from '../../core/decimal.ts'
import { Registers, TAG } from '../../core/registers.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { loadLiteral } from '../literal-value.ts'
import { always } from './argument.ts'
import { isJsonType } from './json-value.ts'

/** Tag and count of an array or object. */
const HEAD_BYTES = 5

function countOf(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at + 1, 4).getUint32(0)
}

function isContainer(tag: number | undefined): boolean {
  return tag === KEY_TAG.ARRAY || tag === KEY_TAG.OBJECT
}

function isSame(left: Uint8Array, at: number, right: Uint8Array, from: number): boolean {
  const size = skipKey(right, from) - from
  return (
    skipKey(left, at) - at === size &&
    Buffer.compare(left.subarray(at, at + size), right.subarray(from, from + size)) === 0
  )
}

/** Whether an element of the array at `at` contains the value at `from`. */
function holdsElement(left: Uint8Array, at: number, right: Uint8Array, from: number): boolean {
  let element = at + HEAD_BYTES
  for (let more = countOf(left, at); more > 0; more--) {
    if (contains(left, element, right, from)) return true
    element = skipKey(left, element)
  }
  return false
}

/** Whether the left value contains the right one; scalars where they are equal. */
function contains(left: Uint8Array, at: number, right: Uint8Array, from: number): boolean {
  const tag = right[from]
  if (left[at] !== tag) return false
  if (!isContainer(tag)) return isSame(left, at, right, from)
  return tag === KEY_TAG.ARRAY ? containsArray(left, at, right, from) : containsObject(left, at, right, from)
}

function containsArray(left: Uint8Array, at: number, right: Uint8Array, from: number): boolean {
  let wanted = from + HEAD_BYTES
  for (let more = countOf(right, from); more > 0; more--) {
    if (!holdsElement(left, at, right, wanted)) return false
    wanted = skipKey(right, wanted)
  }
  return true
}

/** Keys of both are in one order, so one walk over each is enough. */
function containsObject(left: Uint8Array, at: number, right: Uint8Array, from: number): boolean {
  let key = at + HEAD_BYTES
  let members = countOf(left, at)
  let wanted = from + HEAD_BYTES
  for (let more = countOf(right, from); more > 0; more--) {
    const wantedValue = skipKeyText(right, wanted)
    let found = false
    for (; members > 0 && !found; members--) {
      const value = skipKeyText(left, key)
      found = Buffer.compare(left.subarray(key, value), right.subarray(wanted, wantedValue)) === 0
      if (found && !contains(left, value, right, wantedValue)) return false
      key = skipKey(left, value)
    }
    if (!found) return false
    wanted = skipKey(right, wantedValue)
  }
  return true
}

/** The whole values: an array contains a scalar too that is one of its elements. */
function containsValue(left: Uint8Array, right: Uint8Array): boolean {
  if (left[0] === KEY_TAG.ARRAY && !isContainer(right[0])) return holdsElement(left, 0, right, 0)
  return contains(left, 0, right, 0)
}

/** Of the last double that was made a decimal. */
const decimal = new Registers(1)

/**
 * The register's key bytes, good until the writer's next use; undefined where an error was written. A double alone is the decimal that JSON
 * shows, since the numbers inside arrays and objects are decimals: [0.1] contains 0.1.
 */
function writeKey(r: Registers, out: number, index: number, writer: KeyWriter): Uint8Array | undefined {
  writer.reset()
  const shown = isFraction(r, index) ? parseDecimal(String(r.num[index])) : undefined
  if (shown !== undefined) decimal.setDecimal(0, normalizeDecimal(shown))
  const error = shown === undefined ? writer.appendRegister(r, index) : writer.appendRegister(decimal, 0)
  if (error === null) return writer.bytes.subarray(0, writer.length)
  r.setError(out, error.code, error.message)
  return undefined
}

function containment(): Evaluate {
  const [left, right] = [new KeyWriter(), new KeyWriter()]
  return (r, out, a, b) => {
    const container = writeKey(r, out, a, left)
    const wanted = container === undefined ? undefined : writeKey(r, out, b, right)
    if (container !== undefined && wanted !== undefined) r.setBoolean(out, containsValue(container, wanted))
  }
}

/** With one side written out: its key is made once. */
function containmentOf(literal: Expression | undefined, isWanted: boolean): Evaluate | undefined {
  if (literal?.kind !== 'literal' || literal.value === null) return undefined
  const one = new Registers(2)
  loadLiteral(one, 0, literal)
  const known = writeKey(one, 1, 0, new KeyWriter())
  if (known === undefined) return undefined
  const writer = new KeyWriter()
  const test = (r: Registers, out: number, index: number): void => {
    const other = writeKey(r, out, index, writer)
    if (other !== undefined) r.setBoolean(out, isWanted ? containsValue(other, known) : containsValue(known, other))
  }
  return test
}

function isFraction(r: Registers, index: number): boolean {
  const value = r.num[index] as number
  return r.tag[index] === TAG.DOUBLE && Number.isFinite(value) && !Number.isInteger(value)
}

const takesBoth = ([left, right, further]: Parameters<FunctionEntry['resolve']>[0]): 'boolean' | undefined =>
  isJsonType(left) && isJsonType(right) && further === undefined ? 'boolean' : undefined

const contain = containment()

export const JSON_CONTAIN_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'contains',
    name: '@>',
    form: 'operator',
    resolve: takesBoth,
    signature: 'value @> value',
    strict: true,
    canFail: always,
    evaluate: contain,
    specialize: ([, wanted]) => containmentOf(wanted, true),
    doc: {
      summary: 'Whether the left JSON value contains the right one: the same members and elements, at the same depth.',
      example: `device @> '{"os": "ios"}'`,
    },
  },
  {
    id: 'contained',
    name: '<@',
    form: 'operator',
    resolve: takesBoth,
    signature: 'value <@ value',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b, c, d) => contain(r, out, b, a, c, d),
    specialize: ([, container]) => containmentOf(container, false),
    doc: { summary: 'Whether the right JSON value contains the left one.', example: `tags <@ '["new", "sale"]'` },
  },
]
