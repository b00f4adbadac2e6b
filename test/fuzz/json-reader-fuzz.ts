/** Compares the JSON field reader with JSON.parse on random and damaged documents: accepted or not, and each found value. */
import { isDeepStrictEqual } from 'node:util'
import { JSON_DEPTH_MAX, JSON_KIND, JSON_OUTCOME, type JsonPath } from '../../src/core/json-field.ts'
import { JsonFieldReader } from '../../src/records/json-field-reader.ts'
import { isValidUtf8 } from '../../src/core/json-string.ts'
import { readJsonDouble, readJsonInteger } from '../../src/core/json-number.ts'
import { JsonTextError, parseJsonValue, type JsonValue } from '../support/json-value.ts'
import { makeDocument } from './json-documents.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { SeededRandom } from './seeded-random.ts'

export const FUZZ_PATHS: readonly JsonPath[] = [
  ['a'],
  ['a', 'b'],
  ['a', 'b', 'c'],
  ['b'],
  ['b', 0],
  ['b', 2, 'a'],
  ['ab'],
  ['key', 'é'],
  ['__proto__'],
  ['constructor', 'a'],
  ['é'],
  ['a'],
  ['long name of a key'],
  ['c', 1],
]

const SPICE = Buffer.from('{}[]":,\\/ue+-.0123456789tfn \n\t\u0000\u001f\u00e9\ufeff')

/** Runs so many documents and returns how many; throws with the seed and the document at the first disagreement. */
export function fuzzJsonReader(runs: number, seed: number): number {
  const random = new SeededRandom(seed)
  const reader = new JsonFieldReader(FUZZ_PATHS)
  for (let run = 0; run < runs; run++) {
    const document = makeBytes(random)
    const { bytes, start, end } = placeInBuffer(random, document)
    try {
      checkDocument(reader, bytes, start, end)
    } catch (error) {
      const text = JSON.stringify(Buffer.from(document).toString('latin1'))
      throw new Error(`seed ${seed}, run ${run}, document (latin1) ${text}, outcome at ${reader.errorOffset}`, {
        cause: error,
      })
    }
  }
  return runs
}

function makeBytes(random: SeededRandom): Uint8Array {
  const kind = random.below(10)
  if (kind === 0) return Uint8Array.from({ length: random.below(40) }, () => random.pick(SPICE))
  const document = Buffer.from(makeDocument(random))
  return kind < 5 ? document : mutateBytes(random, document, SPICE)
}

/** Somewhere in a buffer whose other bytes could go on the document, or at the very end of one. */
function placeInBuffer(random: SeededRandom, document: Uint8Array): { bytes: Uint8Array; start: number; end: number } {
  const before = random.below(20)
  const after = random.chance(0.3) ? random.below(16) : 16 + random.below(20)
  const bytes = Uint8Array.from({ length: before + document.length + after }, () => random.pick(SPICE))
  bytes.set(document, before)
  return { bytes, start: before, end: before + document.length }
}

const NOTHING = Symbol('nothing')

/** Throws where reader and oracle disagree. Invalid UTF-8 becomes U+FFFD within strings, which changes nothing for the grammar. */
export function checkDocument(reader: JsonFieldReader, bytes: Uint8Array, start: number, end: number): void {
  const text = toText(bytes, start, end)
  const outcome = reader.read(bytes, start, end)
  const expected = parseOracle(text)
  if (outcome === JSON_OUTCOME.TOO_DEEP) {
    if (measureDepth(text) <= JSON_DEPTH_MAX) throw new Error('refused as too deep')
    return
  }
  if (end === start) return expectEqual(outcome, JSON_OUTCOME.EMPTY, 'outcome of nothing')
  if (expected === NOTHING) {
    expectEqual(outcome, JSON_OUTCOME.INVALID_JSON, 'outcome')
    if (reader.errorOffset < 0 || reader.errorOffset > end - start) throw new Error(`error at ${reader.errorOffset}`)
    return
  }
  if (measureDepth(text) > JSON_DEPTH_MAX) throw new Error('accepted although too deep')
  const isObject = typeof expected === 'object' && expected !== null && !Array.isArray(expected)
  expectEqual(outcome, isObject ? JSON_OUTCOME.OK : JSON_OUTCOME.NOT_OBJECT, 'outcome')
  if (isObject) FUZZ_PATHS.forEach((path, index) => checkPath(reader, bytes, path, index, findOracle(expected, path)))
}

function checkPath(reader: JsonFieldReader, bytes: Uint8Array, path: JsonPath, index: number, expected: unknown): void {
  const what = path.join('.')
  const kind = reader.kind[index]!
  if (expected === NOTHING) return expectEqual(kind, JSON_KIND.MISSING, what)
  const [start, end] = [reader.start[index]!, reader.end[index]!]
  const slice = toText(bytes, start, end)
  if (typeof expected === 'string') {
    expectEqual(JSON.parse(`"${slice}"`), expected, what)
    const plain = Buffer.byteLength(slice) === slice.length ? JSON_KIND.STRING : JSON_KIND.STRING_UTF8
    expectEqual(kind, slice.includes('\\') ? JSON_KIND.STRING_ESCAPED : plain, `${what} kind`)
    return checkValue(bytes, start - 1, end + 1, `${what} value`)
  }
  expectEqual(JSON.parse(slice), expected, what)
  expectEqual(kind, toKind(expected, slice), `${what} kind`)
  if (kind === JSON_KIND.INTEGER || kind === JSON_KIND.DECIMAL) checkNumber(bytes, start, end, slice)
  checkValue(bytes, start, end, `${what} value`)
}

function toKind(value: unknown, slice: string): number {
  if (value === null) return JSON_KIND.NULL
  if (typeof value === 'boolean') return value ? JSON_KIND.TRUE : JSON_KIND.FALSE
  if (typeof value === 'number') return /[.eE]/.test(slice) ? JSON_KIND.DECIMAL : JSON_KIND.INTEGER
  return Array.isArray(value) ? JSON_KIND.ARRAY : JSON_KIND.OBJECT
}

function checkNumber(bytes: Uint8Array, start: number, end: number, slice: string): void {
  if (!Object.is(readJsonDouble(bytes, start, end), Number(slice))) throw new Error(`double of ${slice}`)
  if (/[.eE]/.test(slice)) return
  const exact = Number.isSafeInteger(Number(slice)) ? Number(slice) + 0 : Number.NaN
  if (!Object.is(readJsonInteger(bytes, start, end), exact)) throw new Error(`integer of ${slice}`)
}

/** The materialised value against JSON.parse of the same slice as UTF-8; texts that are none must be refused. */
function checkValue(bytes: Uint8Array, start: number, end: number, what: string): void {
  const text = toText(bytes, start, end)
  // integers are bigint, which knows no -0
  const expected: unknown = JSON.parse(text, (_, member: unknown) => (member === 0 ? 0 : member))
  const isText = isValidUtf8(bytes, start, end) && isTextual(text)
  let value: JsonValue
  try {
    value = parseJsonValue(bytes, start, end)
  } catch (error) {
    if (!(error instanceof JsonTextError) || isText) throw error
    return
  }
  if (!isText) throw new Error(`${what} should have been refused`)
  expectEqual(toPlain(value), expected, what)
}

/** Whether no string of a valid document has \u0000 or half of a surrogate pair. Duplicates count too, so text, not values. */
function isTextual(text: string): boolean {
  const strings = text.match(/"(?:[^"\\]|\\.)*"/g) ?? []
  return strings.every((string) => {
    const value = JSON.parse(string) as string
    return value.isWellFormed() && !value.includes('\u0000')
  })
}

function toPlain(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value === 0) return 0
  if (value instanceof Map) {
    const object: Record<string, unknown> = {}
    for (const [key, member] of value) {
      // an ordinary member also where it is called __proto__
      Object.defineProperty(object, key, {
        value: toPlain(member as JsonValue),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return object
  }
  return Array.isArray(value) ? value.map((element) => toPlain(element as JsonValue)) : value
}

function parseOracle(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return NOTHING
  }
}

function findOracle(document: unknown, path: JsonPath): unknown {
  let value = document
  for (const step of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof step === 'number'))
      return NOTHING
    const key = String(step)
    if (!Object.hasOwn(value, key)) return NOTHING
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function measureDepth(text: string): number {
  let depth = 0
  let most = 0
  for (const bracket of text.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '').match(/[[\]{}]/g) ?? []) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1
    most = Math.max(most, depth)
  }
  return most
}

function toText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('utf8')
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (Object.is(actual, expected) || isDeepStrictEqual(actual, expected)) return
  throw new Error(`${what}: found ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`)
}
