/** Owns what the function table says about types: every way to call each entry, so that expressions can be made by their type. */
import { isTimeType, NUMBER_TYPES, type ScalarType } from '../../src/core/scalar-type.ts'
import type { FunctionEntry } from '../../src/sql/function-entry.ts'
import { findFunctions, FUNCTIONS } from '../../src/sql/function-table.ts'

export interface Signature {
  readonly id: string
  readonly args: readonly ScalarType[]
  readonly type: ScalarType
}

const TYPES: readonly ScalarType[] = [
  'any',
  'boolean',
  'bigint',
  'double precision',
  'numeric',
  'number',
  'text',
  'timestamptz',
  'timestamp',
  'date',
  'interval',
  'jsonb',
]
/** More make too many combinations, but for those that take no fewer. */
const ARGUMENTS_MAX = 3
/** Of variadic ones: so many arguments, of so many types in turn. */
const LONG_LENGTHS = [4, 5, 6, 7]
const LONG_TYPES = 2
const FOUR_ARGUMENTS: ReadonlySet<string> = new Set(['width_bucket'])
const SETTING: readonly (readonly ScalarType[])[] = [
  ['any', 'jsonb'],
  ['text', 'jsonb'],
  ['any', 'jsonb'],
  ['boolean', 'any'],
]
/** Calls with more, by the types of each place. */
const LONG_CALLS: Readonly<Record<string, readonly (readonly ScalarType[])[]>> = {
  jsonb_set: SETTING,
  jsonb_insert: SETTING,
  jsonb_set_lax: [...SETTING, ['text']],
}

export const SIGNATURES: readonly Signature[] = FUNCTIONS.flatMap(signaturesOf)
export const FUNCTION_IDS: readonly string[] = [...new Set(SIGNATURES.map(({ id }) => id))]

function signaturesOf(entry: FunctionEntry): Signature[] {
  const lengths = FOUR_ARGUMENTS.has(entry.id) ? [4] : Array.from({ length: ARGUMENTS_MAX }, (_, index) => index + 1)
  const long = entry.variadic === true ? combinations(LONG_TYPES).flatMap(repeated) : []
  const places = LONG_CALLS[entry.id]
  const written = places === undefined ? [] : products(places)
  return [...lengths.flatMap(combinations), ...long, ...written].flatMap((args) => {
    const type = entry.resolve(args)
    if (type === undefined || !isWritten(entry, args)) return []
    // analysers take the first entry of the name that answers
    const first = findFunctions(entry.form, entry.name).find(({ resolve }) => resolve(args) !== undefined)
    return first === entry ? [{ id: entry.id, args, type }] : []
  })
}

/** Lists with more arguments than registers are handed over by name. */
function repeated(types: readonly ScalarType[]): ScalarType[][] {
  return LONG_LENGTHS.map((length) => Array.from({ length }, (_, index) => types[index % types.length] as ScalarType))
}

function products(places: readonly (readonly ScalarType[])[]): ScalarType[][] {
  return places.reduce<ScalarType[][]>(
    (lists, types) => lists.flatMap((list) => types.map((type) => [...list, type])),
    [[]],
  )
}

function combinations(length: number): ScalarType[][] {
  if (length === 0) return [[]]
  return combinations(length - 1).flatMap((rest) => TYPES.map((type) => [...rest, type]))
}

/** A cast to the type that is there already is none; LIKE's third argument has a form of its own. */
function isWritten({ id, form, name }: FunctionEntry, args: readonly ScalarType[]): boolean {
  if (form === 'cast' || form === 'try_cast') return args[0] !== name
  // the analyser calls it trim, as the grammar calls TRIM btrim
  if (id === 'btrim') return false
  if (id === 'extract') return args[0] === 'text'
  if (id === 'greatest' || id === 'least') return hasCommonType(args)
  return !(form === 'operator' && args.length > 2)
}

/** Whether the analyser, which goes from left to right, finds one: an undeclared value makes all that follow possible. */
function hasCommonType(args: readonly ScalarType[]): boolean {
  const declared = new Set(args.filter((type) => type !== 'any'))
  // no undeclared value is a time
  if (declared.size < new Set(args).size && [...declared].some((type) => isTimeType(type) || type === 'interval'))
    return false
  return args[0] === 'any' || declared.size <= 1 || [...declared].every((type) => NUMBER_TYPES.has(type))
}
