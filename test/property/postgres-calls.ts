/** Owns which calls PostgreSQL has by the same meaning, beyond those that it shares with other engines, each with the types that it takes. */
import { NUMBER_TYPES, type ScalarType } from '../../src/core/scalar-type.ts'
import type { Signature } from './signatures.ts'

const DECLARED_NUMBERS: readonly ScalarType[] = ['bigint', 'double precision', 'numeric']
const isNumber = (type: ScalarType): boolean => DECLARED_NUMBERS.includes(type)
const isScalar = (type: ScalarType): boolean => isNumber(type) || type === 'text' || type === 'boolean'
const isText = (type: ScalarType): boolean => type === 'text'
const isDouble = (type: ScalarType): boolean => type === 'double precision'
const isNumeric = (type: ScalarType): boolean => type === 'numeric'

/** Every argument must be one of these. */
const TAKEN: readonly (readonly [RegExp, (type: ScalarType) => boolean])[] = [
  [/^(add|subtract|multiply|divide|negate|abs|sign)$/, isNumber],
  [/^(round|trunc|floor|ceil|ceiling)$/, isNumber],
  [/^(equal|not_equal|less|less_or_equal|greater|greater_or_equal)$/, isNumber],
  [/^(is_distinct_from|is_not_distinct_from|greatest|least)$/, isNumber],
  [/^(is_null|is_not_null|num_nulls|num_nonnulls)$/, isScalar],
  // ln(-1) ends its statement even where no row needs it, since it folds constants; sin and its kin have another last digit
  [/^(sqrt|cbrt|degrees|radians|atan|atan2)$/, isDouble],
  [/^(concat|concat_ws)$/, isScalar],
  [/^initcap$/, isText],
  [/^quote_(literal|nullable|ident)$/, isText],
]

/** From a type to another. */
const CASTS: ReadonlySet<string> = new Set([
  ...['numeric bigint', 'text bigint', 'text double precision', 'numeric double precision'],
  ...['bigint numeric', 'double precision numeric', 'text numeric'],
  ...['double precision text', 'numeric text', 'text boolean'],
])

/** By a template. */
const TO_CHAR: ReadonlySet<ScalarType> = new Set([...DECLARED_NUMBERS, 'timestamptz', 'timestamp', 'date'])

export function isPostgresCall({ id, args, type }: Signature): boolean {
  if (id.startsWith('cast_to')) return CASTS.has(`${args[0]} ${type}`)
  // the same family for numerics: both arguments, so that neither makes the other a double
  if (id === 'round_to' || id === 'trunc_to') return isNumeric(args[0] as ScalarType) && args[1] === 'bigint'
  if (id === 'width_bucket') {
    const [operand, low, high, count] = args
    const isOneType = operand === low && operand === high && count === 'bigint'
    return isOneType && (operand === 'numeric' || operand === 'double precision')
  }
  if (id === 'div') return args.every(isNumeric)
  if (/^to_char(_(bigint|double|numeric))?$/.test(id)) return TO_CHAR.has(args[0] as ScalarType)
  if (id === 'concatenate') return args.includes('text') && args.every((arg) => isScalar(arg))
  if (NUMBER_TYPES.has(type) && type === 'number') return args.every((arg) => arg === 'bigint') && isTaken(id, args)
  return isTaken(id, args)
}

function isTaken(id: string, args: readonly ScalarType[]): boolean {
  const takes = TAKEN.find(([ids]) => ids.test(id))?.[1]
  return takes !== undefined && args.every(takes)
}
