/** Owns which calls mean the same in PostgreSQL, DuckDB and rollupd by definition, for the types that they share. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { DIALECT_TYPES } from './dialect.ts'
import type { Signature } from './signatures.ts'

/** Calls that mean the same in both engines, for the types that they share; `%` on doubles is DuckDB's alone. */
const COMMON = new Set([
  ...[
    'add',
    'subtract',
    'multiply',
    'divide_integers',
    'divide',
    'remainder',
    'negate',
    'abs',
    'floor',
    'ceil',
    'ceiling',
  ],
  ...['equal', 'not_equal', 'less', 'less_or_equal', 'greater', 'greater_or_equal'],
  ...['is_distinct_from', 'is_not_distinct_from', 'is_null', 'is_not_null', 'is_true', 'is_not_true', 'is_false'],
  ...[
    'is_not_false',
    'is_unknown',
    'is_not_unknown',
    'not',
    'nullif',
    'cast_to_bigint',
    'cast_to_double',
    'cast_to_text',
  ],
  ...[
    'date_trunc',
    'extract',
    'date_part',
    'time_bucket',
    'lower',
    'upper',
    'length',
    'char_length',
    'character_length',
  ],
  ...[
    'substring',
    'substr',
    'trim',
    'ltrim',
    'rtrim',
    'replace',
    'concatenate',
    'like',
    'not_like',
    'ilike',
    'not_ilike',
  ],
  ...['left', 'right', 'lpad', 'rpad', 'split_part', 'strpos', 'starts_with', 'has_prefix', 'reverse', 'md5', 'repeat'],
  ...['greatest', 'least', 'bit_and_of', 'bit_or_of'],
  ...['concat', 'concat_ws', 'ascii', 'chr', 'translate', 'bit_length'],
])
/** Those whose result no engine rounds. */
export const EXACT_AGGREGATES =
  /^(count|sum|avg|min|max|approx_distinct|bool_and|bool_or|every|bit_and|bit_or|bit_xor)$/
export const COMPARISONS = /^(greatest|least|equal|not_equal|less|greater|is_distinct|is_not_distinct|nullif)/
const isWidth = (id: string, type: ScalarType): boolean => id === 'time_bucket' && type === 'interval'

export function allowsCommon({ id, args, type }: Signature): boolean {
  if (!COMMON.has(id) || ![type, ...args].every((one) => DIALECT_TYPES.includes(one) || isWidth(id, one))) return false
  // integers beside doubles are compared as doubles there
  if (COMPARISONS.test(id)) return args.every((arg) => arg === args[0])
  if (id.startsWith('cast_to'))
    return `${args[0]} ${type}` !== 'boolean bigint' && isSameCast(args[0] as ScalarType, type)
  if (id === 'concat' || id === 'concat_ws') return args.every((arg) => arg === 'text' || arg === 'bigint')
  if (id === 'concatenate') return args.every((arg) => arg === 'text' || arg === 'bigint' || arg === 'boolean')
  return true
}

function isSameCast(from: ScalarType, to: ScalarType): boolean {
  if (to === 'text') return from === 'bigint' || from === 'boolean'
  return (from === 'bigint' && to === 'double precision') || (from === 'double precision' && to === 'bigint')
}
