/** Owns what PostgreSQL is asked: the types and calls that mean the same there, and how it writes them. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { DIALECT_TYPES, type Dialect } from './dialect.ts'
import { FIELDS_OF_TIME, FRACTIONS_OF_TIME, LONG_UNITS, UNITS, WIDTHS, writtenArgument } from './dialect-arguments.ts'
import { allowsCommon, COMPARISONS, EXACT_AGGREGATES } from './dialect-calls.ts'
import { EXACT_DOUBLES, literalOf, postgresFields } from './dialect-fields.ts'
import {
  allowsList,
  allowsMap,
  allowsStatistic,
  isListOrMap,
  isStatistic,
  printPostgresList,
  printStatistic,
} from './dialect-lists.ts'
import { printAggregate, printer, printLiteral, type Override } from './dialect-print.ts'
import { isPostgresCall } from './postgres-calls.ts'
import { printCall, quoteText } from './print-syntax.ts'
import type { Signature } from './signatures.ts'
import type { Node } from './syntax.ts'

const POSTGRES_TYPES: readonly ScalarType[] = [...DIALECT_TYPES, 'timestamp', 'date', 'interval']

const ZONES = ['Z', '+00:00', '+02:00', '-03:30', '+05:45']

const POSTGRES: Override = (node, print) => {
  if (node.kind === 'field') return String(node.path[0])
  if (node.kind === 'literal' && typeof node.value === 'boolean') return node.value ? 'yes()' : 'no()'
  if (node.kind === 'literal') return printLiteral(node, 'timestamptz')
  if (node.kind === 'aggregate' && isStatistic(node.name)) return printStatistic(node, print)
  if (node.kind === 'aggregate' && isListOrMap(node.name)) return printPostgresList(node, print)
  if (node.kind === 'aggregate') return printAggregate(node, print, node.type === 'boolean' ? BOOLEAN_EXTREMES : {})
  if (node.kind !== 'call') return undefined
  const texts = node.args.map(print)
  switch (node.id) {
    case 'extract':
      return `(extract(${wordOf(node)} FROM ${texts[1]})::double precision)`
    case 'date_part': {
      // it rounds on the way to its double, extract is exact; it takes a date for its midnight, extract refuses hours of one
      const subject = node.args[1]?.type === 'date' ? `${texts[1]}::timestamp` : texts[1]
      return `(extract(${wordOf(node)} FROM ${subject})::double precision)`
    }
    case 'time_bucket':
      return `date_bin(${texts[0]}, ${texts[1]}, ${texts[2] ?? `'2000-01-03 00:00:00+00'::timestamptz`})`
    case 'substring':
    case 'substr':
      return `substr(${texts[0]}, ${texts.slice(1).map(toInt).join(', ')})`
    case 'length':
    case 'char_length':
    case 'character_length':
    case 'strpos':
    case 'ascii':
    case 'octet_length':
    case 'bit_length':
    case 'num_nulls':
    case 'num_nonnulls':
      return `(${printCall(node, texts)}::bigint)`
    case 'subtract_dates':
      return `(${printCall(node, texts)}::bigint)`
    case 'shift_left':
      return `(${texts[0]} << (${texts[1]} & 63)::int)`
    case 'shift_right':
      return `(${texts[0]} >> (${texts[1]} & 63)::int)`
    case 'width_bucket':
      return `(width_bucket(${texts.slice(0, -1).join(', ')}, ${toInt(texts.at(-1) as string)})::bigint)`
    case 'round':
    case 'trunc':
    case 'floor':
    case 'ceil':
    case 'ceiling':
      // of a bigint it makes a double
      return node.args[0]?.type === 'bigint' ? `${node.id}(${texts[0]}::numeric)::bigint` : printCall(node, texts)
    case 'cast_to_numeric':
      return node.args[0]?.type === 'double precision' ? `${texts[0]}::text::numeric` : printCall(node, texts)
    case 'cast_to_text':
    case 'to_char_double':
    case 'concat':
    case 'concat_ws':
    case 'concatenate':
      return printCall(
        node,
        texts.map((one, index) => canonicalNumber(one, node.args[index]?.type)),
      )
    case 'left':
    case 'right':
    case 'repeat':
    case 'round_to':
    case 'trunc_to':
    case 'lpad':
    case 'rpad':
    case 'split_part':
    case 'chr':
    case 'add_days':
    case 'days_add':
    case 'subtract_days':
      // its counts are int
      return printCall(
        node,
        texts.map((one, index) => (node.args[index]?.type === 'bigint' ? toInt(one) : one)),
      )
    default:
      return printCall(node, texts)
  }
}

/** Functions that the texts below call, to be made first. */
export const POSTGRES_FUNCTIONS = [
  // what is beyond an int means what the last int does
  `CREATE FUNCTION to_int(bigint) RETURNS int IMMUTABLE STRICT LANGUAGE sql
    AS 'SELECT least(greatest($1, -2147483648), 2147483647)::int'`,
  // constants that aren't folded: HAVING FALSE would spare it the errors of the groups
  `CREATE FUNCTION yes() RETURNS boolean VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN TRUE; END'`,
  `CREATE FUNCTION no() RETURNS boolean VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN FALSE; END'`,
]

function toInt(bigint: string): string {
  return `to_int(${bigint})`
}

/** As a number's text has neither trailing zeros nor a negative zero. */
function canonicalNumber(sql: string, type: ScalarType | undefined): string {
  if (type === 'numeric') return `trim_scale(${sql})`
  return type === 'double precision' ? `(${sql} + 0::double precision)` : sql
}

function wordOf({ args: [field] }: Extract<Node, { kind: 'call' }>): string {
  return field?.kind === 'literal' ? quoteText(String(field.value)) : ''
}

const BOOLEAN_EXTREMES = { min: 'bool_and', max: 'bool_or' }

const printPostgres = printer(POSTGRES)

/** Exact in both, for one declared type. */
const POSTGRES_NUMBERS: readonly (readonly [RegExp, ScalarType])[] = [
  [/^(gcd|lcm|mod|bit_xor_of|bit_not|shift_left|shift_right|to_hex|to_oct|to_bin)$/, 'bigint'],
]

const OTHER_TIMES: readonly ScalarType[] = ['timestamp', 'date', 'interval']
const TIME_CALLS =
  /^(add_interval|interval_add|subtract_(interval|dates|times|days|intervals)|add_(days|intervals)|days_add|negate_interval|(multiply|divide)_interval|interval_multiply|age|justify_\w+|date_trunc(_interval)?|extract|date_part|timezone|date_bin|(equal|not_equal|less|greater)\w*|is_(not_)?(distinct_from|null)|is_not_null|nullif|greatest|least|cast_to_(timestamptz|timestamp|date))$/

/** Calls over timestamp, date and interval: all that PostgreSQL has, but for their texts, which differ. */
function allowsTimes({ id, args, type }: Signature): boolean {
  if (!TIME_CALLS.test(id) || ![...args, type].every((one) => POSTGRES_TYPES.includes(one))) return false
  // the grammar's zone may be no interval of any length
  if (id === 'timezone') return args[0] === 'text'
  if (id.startsWith('cast_to')) return args[0] !== 'text'
  if (id === 'date_bin') return false
  const holdsOther = [...args, type].some((one) => OTHER_TIMES.includes(one))
  return holdsOther && (!COMPARISONS.test(id) || args.every((arg) => arg === args[0] || arg !== 'interval'))
}

export const POSTGRESQL: Dialect = {
  name: 'PostgreSQL',
  types: POSTGRES_TYPES,
  exactDoubles: EXACT_DOUBLES,
  fields: postgresFields([...ZONES, ''], ['0', '7', '-1', '+12', ' 3 ', '0x1F', '1_000', '9223372036854775807']),
  allows: (signature) => {
    if (signature.id === 'to_timestamp') return signature.args[0] === 'double precision'
    const declared = POSTGRES_NUMBERS.find(([ids]) => ids.test(signature.id))?.[1]
    if (declared !== undefined) return signature.args.every((arg) => arg === declared)
    if (/^num_(non)?nulls$/.test(signature.id)) return signature.args.every((arg) => POSTGRES_TYPES.includes(arg))
    if (signature.id === 'octet_length') return signature.args[0] === 'text'
    if (signature.id === 'remainder') return signature.type === 'bigint'
    // numeric beside numeric and bigint: exact there too
    if (signature.id.endsWith('_exact')) return signature.type === 'numeric'
    return allowsCommon(signature) || allowsTimes(signature) || isPostgresCall(signature)
  },
  allowsAggregate: (name, args) =>
    (!args.includes('interval') || name === 'sum' || name === 'avg') &&
    (EXACT_AGGREGATES.test(name) ||
      allowsList(name, args) ||
      allowsMap(name, args) ||
      allowsStatistic(name, args) ||
      name === 'mode'),
  allowsSymmetric: true,
  literal: (type, random) => literalOf(type, random, ZONES),
  argument: (id, index, random) =>
    writtenArgument(id, index, random, {
      units: [...UNITS, ...LONG_UNITS],
      fieldsOfTime: [...FIELDS_OF_TIME, ...FRACTIONS_OF_TIME],
      widths: WIDTHS,
      substringFrom: -1,
      // place 0 is refused
      parts: [1, -5],
    }),
  print: printPostgres,
  printOutput: (node) => postgresOutput(printPostgres(node), node.type),
}

/** Text that toValue reads: microseconds, days, and the months, days and microseconds of an interval. */
export function postgresOutput(sql: string, type: ScalarType): string {
  const part = (field: string): string => `extract(${field} FROM ${sql})`
  switch (type) {
    case 'timestamptz':
    case 'timestamp':
      return `(${part('epoch')} * 1000000)::bigint::text`
    case 'date':
      return `((${sql}) - date '1970-01-01')::text`
    case 'interval':
      return `(${part('year')} * 12 + ${part('month')})::bigint || ' ' || ${part('day')}::bigint || ' ' || ((${part('hour')} * 60 + ${part('minute')}) * 60000000 + ${part('microseconds')})::bigint`
    default:
      return `(${sql})::text`
  }
}
