/** Owns the table of all functions, operators and casts: one entry serves the analyser, both evaluators and the docs. */
import { assert } from '../core/assert.ts'
import type { FunctionEntry } from './function-entry.ts'
import { ARITHMETIC_FUNCTIONS } from './functions/arithmetic.ts'
import { ARRAY_COMPARISONS } from './functions/array-comparison.ts'
import { CAST_FUNCTIONS } from './functions/casts.ts'
import { CHARACTER_FUNCTIONS } from './functions/characters.ts'
import { COMPARISON_FUNCTIONS } from './functions/comparison.ts'
import { CONDITIONAL_FUNCTIONS } from './functions/conditional.ts'
import { DOUBLE_MATH_FUNCTIONS } from './functions/double-math.ts'
import { FACTORIAL } from './functions/factorial.ts'
import { HASH_FUNCTIONS } from './functions/hash.ts'
import { INTEGER_MATH_FUNCTIONS } from './functions/integer-math.ts'
import { JSON_CASTS } from './functions/json-cast.ts'
import { JSON_EDIT_FUNCTIONS } from './functions/json-edit.ts'
import { JSON_PRETTY } from './functions/json-pretty.ts'
import { JSON_SET_FUNCTIONS } from './functions/json-set.ts'
import { JSON_FUNCTIONS } from './functions/json.ts'
import { LIKE_FUNCTIONS } from './functions/like.ts'
import { MATH_FUNCTIONS } from './functions/math.ts'
import { NULL_COUNT_FUNCTIONS } from './functions/null-count.ts'
import { NUMBER_TO_CHAR_FUNCTIONS } from './functions/number-to-char.ts'
import { RADIX_TEXT_FUNCTIONS } from './functions/radix-text.ts'
import { REGEXP_FUNCTIONS } from './functions/regexp.ts'
import { TEXT_ARRAY_FUNCTIONS } from './functions/text-arrays.ts'
import { TEXT_ENCODE_FUNCTIONS } from './functions/text-encode.ts'
import { TEXT_FILL_FUNCTIONS } from './functions/text-fill.ts'
import { FORMAT } from './functions/text-format.ts'
import { TEXT_JOIN_FUNCTIONS } from './functions/text-join.ts'
import { TEXT_PART_FUNCTIONS } from './functions/text-parts.ts'
import { TEXT_QUOTE_FUNCTIONS } from './functions/text-quote.ts'
import { TEXT_FUNCTIONS } from './functions/text.ts'
import { TIME_FUNCTIONS } from './functions/time.ts'
import { TO_NUMBER } from './functions/to-number.ts'
import { URL_FUNCTIONS } from './functions/url.ts'
import { NUMBER_BUCKET } from './functions/number-bucket.ts'
import { WIDTH_BUCKET } from './functions/width-bucket.ts'

type Form = FunctionEntry['form']

export const FUNCTIONS: readonly FunctionEntry[] = [
  ...ARITHMETIC_FUNCTIONS,
  ...COMPARISON_FUNCTIONS,
  ...ARRAY_COMPARISONS,
  ...CAST_FUNCTIONS,
  ...JSON_CASTS,
  ...TIME_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...TEXT_PART_FUNCTIONS,
  ...TEXT_FILL_FUNCTIONS,
  ...JSON_EDIT_FUNCTIONS,
  ...JSON_SET_FUNCTIONS,
  JSON_PRETTY,
  ...TEXT_JOIN_FUNCTIONS,
  FORMAT,
  ...TEXT_QUOTE_FUNCTIONS,
  ...TEXT_ENCODE_FUNCTIONS,
  ...CHARACTER_FUNCTIONS,
  ...RADIX_TEXT_FUNCTIONS,
  ...HASH_FUNCTIONS,
  ...LIKE_FUNCTIONS,
  ...REGEXP_FUNCTIONS,
  ...TEXT_ARRAY_FUNCTIONS,
  ...URL_FUNCTIONS,
  ...NUMBER_TO_CHAR_FUNCTIONS,
  TO_NUMBER,
  ...MATH_FUNCTIONS,
  ...DOUBLE_MATH_FUNCTIONS,
  ...INTEGER_MATH_FUNCTIONS,
  FACTORIAL,
  WIDTH_BUCKET,
  NUMBER_BUCKET,
  ...JSON_FUNCTIONS,
  ...CONDITIONAL_FUNCTIONS,
  ...NULL_COUNT_FUNCTIONS,
]

const BY_ID: ReadonlyMap<string, FunctionEntry> = new Map(FUNCTIONS.map((entry) => [entry.id, entry]))
const BY_NAME: ReadonlyMap<string, readonly FunctionEntry[]> = Map.groupBy(
  FUNCTIONS,
  ({ form, name }) => `${form} ${name}`,
)

/** The entries of a name, in the order in which they are asked; none where it is unknown. A cast's name is its target type. */
export function findFunctions(form: Form, name: string): readonly FunctionEntry[] {
  return BY_NAME.get(`${form} ${name}`) ?? []
}

/** The entry that a Call of the expression tree names. Errors: BrokenInvariant for an id that isn't in the table. */
export function functionById(id: string): FunctionEntry {
  const entry = BY_ID.get(id)
  assert(entry !== undefined, `no function has the id ${id}`)
  return entry
}

/** The names of the functions that are called as name(...), for hints at misspelled ones. */
export function functionNames(): readonly string[] {
  return [...new Set(FUNCTIONS.filter(({ form }) => form === 'function').map(({ name }) => name))]
}
