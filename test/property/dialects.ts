/**
 * Owns what PostgreSQL and DuckDB are asked: which calls mean the same there by definition, how each is written, and the fields, all cast, that
 * statements for them read.
 */
import { assert } from '../../src/core/assert.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { isPostgresCall } from './postgres-calls.ts'
import type { Signature } from './signatures.ts'
import {
  allowsList,
  allowsMap,
  allowsStatistic,
  isListOrMap,
  isStatistic,
  printDuckStatistic,
  printStatistic,
  isOrderedList,
  printDuckList,
  printPostgresList,
} from './dialect-lists.ts'
import { printCall, printWith, quoteText } from './print-syntax.ts'
import { argumentsOf, call, castTo, type FieldNode, type LiteralNode, type Node } from './syntax.ts'
import type { JsonNode } from './value.ts'

/** A field of the events: its column in the engine, the type that statements cast it to, its values. */
export interface DialectField {
  readonly name: string
  /** SQL type of the engine's column. */
  readonly column: 'bigint' | 'double precision' | 'text' | 'boolean'
  readonly type: ScalarType
  readonly make: (random: SeededRandom) => JsonNode
}

export interface Dialect {
  readonly name: 'PostgreSQL' | 'DuckDB'
  readonly fields: readonly DialectField[]
  /** Fields of doubles whose sums no engine rounds on the way. */
  readonly exactDoubles: readonly string[]
  /** What its expressions may have. */
  readonly types: readonly ScalarType[]
  readonly allows: (signature: Signature) => boolean
  readonly allowsAggregate: (name: string, args: readonly ScalarType[]) => boolean
  readonly allowsSymmetric: boolean
  readonly literal: (type: ScalarType, random: SeededRandom) => LiteralNode | undefined
  /** Arguments that must be written out, or of one kind; undefined: any of the type. */
  readonly argument: (id: string, index: number, random: SeededRandom) => Node | undefined
  readonly print: (node: Node) => string
  /** An output as text that toValue reads. */
  readonly printOutput: (node: Node) => string
}

export const DIALECT_TYPES: readonly ScalarType[] = ['boolean', 'bigint', 'double precision', 'text', 'timestamptz']

/** DuckDB's timestamp stands for timestamptz there. */
const POSTGRES_TYPES: readonly ScalarType[] = [...DIALECT_TYPES, 'timestamp', 'date', 'interval']

const TEXTS = ['', 'a', 'A', 'ab', 'Abc', 'b c', ' a ', 'ä', 'Ü', 'é', '日本', '😀', "it's", 'a%b', 'x_y', '12', 'true']
const PATTERNS = ['%', 'a%', '%b', '_', 'A%', '%a%b%', '\\%', 'a\\%%', '', 'ä', '_b%']
const FILLS = ['a', 'b', ' ', '日', 'xy', '%']
const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade']
/** They begin with their year 1; DuckDB's with the year before. */
const LONG_UNITS = ['century', 'millennium']
const FIELDS_OF_TIME = [
  ...['century', 'decade', 'year', 'isoyear', 'quarter', 'month', 'week', 'day', 'doy', 'dow'],
  ...['isodow', 'hour', 'minute', 'millennium'],
]
/** DuckDB cuts or rounds them on the way. */
const FRACTIONS_OF_TIME = ['epoch', 'second', 'milliseconds', 'microseconds']
const WIDTHS = ['1 second', '5 minutes', '1 hour', '1 day', '2 weeks', '13 microseconds']
const MONTHS = ['1 month', '3 months', '1 year']
const WIDE = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '4294967296', '-1', '1000000']
const DOUBLES = ['0.1', '1.5', '-2.5', '3.0', '1e300', '1e-300', '1e15', '123456.789', '0.5', '1e22']

const number = (value: string | number): JsonNode => ({ number: String(value) })
const text = (value: string): JsonNode => ({ text: value })
const small = (random: SeededRandom): JsonNode => number(random.below(30) - 9)
/** Eighths below 2^43: sums of some are doubles, in any order. */
const eighth = (random: SeededRandom): JsonNode => number(((random.below(2 ** 30) - 2 ** 29) / 8).toFixed(3))

/** Years 1 to 9999, as every engine reads and shows them. */
function timeText(random: SeededRandom, zones: readonly string[]): string {
  const year = random.chance(0.7) ? 1960 + random.below(90) : 1 + random.below(9998)
  const two = (value: number): string => String(value).padStart(2, '0')
  const fraction = random.chance(0.5) ? '' : `.${String(random.below(1_000_000)).padStart(6, '0')}`
  const clock = `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}${fraction}`
  const day = `${String(year).padStart(4, '0')}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`
  return `${day}T${clock}${random.pick(zones)}`
}

function fieldsOf(zones: readonly string[], integers: readonly string[]): DialectField[] {
  return [
    { name: 'i', column: 'bigint', type: 'bigint', make: small },
    { name: 'j', column: 'bigint', type: 'bigint', make: small },
    { name: 'w', column: 'bigint', type: 'bigint', make: (random) => number(random.pick(WIDE)) },
    { name: 'n', column: 'text', type: 'bigint', make: (random) => text(random.pick(integers)) },
    { name: 'x', column: 'double precision', type: 'double precision', make: eighth },
    { name: 'y', column: 'double precision', type: 'double precision', make: eighth },
    { name: 'd', column: 'double precision', type: 'double precision', make: (random) => number(random.pick(DOUBLES)) },
    {
      name: 'e',
      column: 'double precision',
      type: 'double precision',
      make: (random) => number((random.next() * 4e9 - 2e9).toFixed(6)),
    },
    { name: 's', column: 'text', type: 'text', make: (random) => text(random.pick(TEXTS)) },
    { name: 'u', column: 'text', type: 'text', make: (random) => text(random.pick(TEXTS)) },
    { name: 'p', column: 'boolean', type: 'boolean', make: (random) => random.chance(0.5) },
    { name: 'q', column: 'boolean', type: 'boolean', make: (random) => random.chance(0.5) },
    { name: 'z', column: 'text', type: 'timestamptz', make: (random) => text(timeText(random, zones)) },
  ]
}

const ZONE_NAMES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC']
const SPANS = [
  '1 day',
  '-1 days',
  '24:00:00',
  '1 mon',
  '30 days',
  '1 year 2 mons -3 days +04:05:06.7',
  '-00:00:01.5',
  'PT36H',
]

function postgresFields(zones: readonly string[], integers: readonly string[]): DialectField[] {
  return [
    ...fieldsOf(zones, integers),
    { name: 'l', column: 'text', type: 'timestamp', make: (random) => text(timeText(random, [''])) },
    { name: 'c', column: 'text', type: 'date', make: (random) => text(timeText(random, ['']).slice(0, 10)) },
    { name: 'v', column: 'text', type: 'interval', make: (random) => text(random.pick(SPANS)) },
  ]
}

function dialectField(name: string): FieldNode {
  return { kind: 'field', type: 'any', path: [name] }
}

/** The first of that type: a small integer, for one. */
export function firstField({ fields }: Dialect, type: ScalarType): FieldNode {
  const field = fields.find((one) => one.type === type)
  assert(field !== undefined, `no field of type ${type}`)
  return dialectField(field.name)
}

const EXACT_DOUBLES = ['x', 'y']

/** Arguments of SUM and AVG whose totals no engine rounds on the way. */
export function exactDouble(random: SeededRandom, { exactDoubles }: Dialect): Node {
  const [x, y] = [0, 1].map(() => castTo('double precision', dialectField(random.pick(exactDoubles)))) as [Node, Node]
  return random.pick([x, y, call('function', 'abs', [x]), call('operator', '+', [x, y]), call('operator', '-', [y, x])])
}

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
const EXACT_AGGREGATES = /^(count|sum|avg|min|max|approx_distinct|bool_and|bool_or|every|bit_and|bit_or|bit_xor)$/
const COMPARISONS = /^(greatest|least|equal|not_equal|less|greater|is_distinct|is_not_distinct|nullif)/
const isWidth = (id: string, type: ScalarType): boolean => id === 'time_bucket' && type === 'interval'

function allowsCommon({ id, args, type }: Signature): boolean {
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

function writtenArgument(id: string, index: number, random: SeededRandom, lists: Lists): Node | undefined {
  const pickText = (list: readonly string[]): Node => ({ kind: 'literal', type: 'text', value: random.pick(list) })
  const pickNumber = (from: number): Node => ({
    kind: 'literal',
    type: 'bigint',
    value: String(from + random.below(5)),
  })
  if (id === 'date_trunc' && index === 0) return pickText(lists.units)
  if ((id === 'extract' || id === 'date_part') && index === 0) return pickText(lists.fieldsOfTime)
  if (id === 'timezone' && index === 0) return pickText(ZONE_NAMES)
  if (id === 'date_trunc_interval' && index === 0) return pickText(lists.units.filter((unit) => unit !== 'week'))
  if (id === 'time_bucket' && index === 0)
    return { kind: 'literal', type: 'interval', value: random.pick(lists.widths) }
  if (id.endsWith('like') && index === 1) return pickText(PATTERNS)
  if ((id === 'round_to' || id === 'trunc_to') && index === 1) return pickNumber(-2)
  if (id.startsWith('subst') && index > 0) return pickNumber(index === 1 ? lists.substringFrom : 0)
  if (/^(left|right|repeat)$/.test(id) && index === 1) return pickNumber(id === 'repeat' ? -1 : -2)
  if (/^[lr]pad$/.test(id)) return index === 1 ? pickNumber(0) : index === 2 ? pickText(FILLS) : undefined
  if (id === 'split_part' && index > 0) return index === 1 ? pickText(FILLS) : pickNumber(random.pick(lists.parts))
  if (id === 'chr') return pickNumber(random.pick([60, 228, 8_360, 128_510]))
  if (id === 'to_timestamp') return castTo('double precision', dialectField('e'))
  if (id === 'timestamp_millis' || id === 'timestamp_micros') return castTo('bigint', dialectField('i'))
  return undefined
}

interface Lists {
  readonly units: readonly string[]
  readonly fieldsOfTime: readonly string[]
  readonly widths: readonly string[]
  /** DuckDB counts from the end before 1. */
  readonly substringFrom: number
  /** The first of five places of split_part. */
  readonly parts: readonly number[]
}

function literalOf(type: ScalarType, random: SeededRandom, zones: readonly string[]): LiteralNode | undefined {
  switch (type) {
    case 'boolean':
      return { kind: 'literal', type, value: random.chance(0.5) }
    case 'bigint':
      return { kind: 'literal', type, value: random.chance(0.9) ? String(random.below(12) - 3) : random.pick(WIDE) }
    case 'double precision':
      return { kind: 'literal', type, value: Number(random.pick(DOUBLES)) }
    case 'text':
      return { kind: 'literal', type, value: random.pick(TEXTS) }
    case 'timestamptz':
      return { kind: 'literal', type, value: timeText(random, zones) }
    case 'timestamp':
      return { kind: 'literal', type, value: timeText(random, ['']) }
    case 'date':
      return { kind: 'literal', type, value: timeText(random, ['']).slice(0, 10) }
    case 'interval':
      return { kind: 'literal', type, value: random.pick(SPANS) }
    default:
      return undefined
  }
}

/** Written with its type: a number alone is a smaller integer, or numeric. */
function printLiteral({ type, value }: LiteralNode, timeType: string): string {
  if (value === null) return `NULL::${type === 'timestamptz' ? timeType : type}`
  if (type === 'interval') return `INTERVAL ${quoteText(String(value))}`
  if (type === 'timestamptz') return `${quoteText(String(value))}::${timeType}`
  if (type === 'boolean') return value === true ? 'TRUE' : 'FALSE'
  return `(${quoteText(String(value))}::${type})`
}

/** The engine's own writing of a node; undefined: as it is written for rollupd. */
type Override = (node: Node, print: (node: Node) => string) => string | undefined

function printer(override: Override): (node: Node) => string {
  const print = (node: Node): string =>
    override(node, print) ?? printWith(node as Parameters<typeof printWith>[0], print)
  return print
}

const ZONES = ['Z', '+00:00', '+02:00', '-03:30', '+05:45']

const POSTGRES: Override = (node, print) => {
  if (node.kind === 'field') return String(node.path[0])
  if (node.kind === 'literal') return printLiteral(node, 'timestamptz')
  if (node.kind === 'aggregate' && isStatistic(node.name)) return printStatistic(node, print)
  if (node.kind === 'aggregate' && isListOrMap(node.name)) return printPostgresList(node, print)
  if (node.kind === 'aggregate') return printAggregate(node, print, node.type === 'boolean' ? BOOLEAN_EXTREMES : {})
  if (node.kind !== 'call') return undefined
  const texts = node.args.map(print)
  switch (node.id) {
    case 'extract':
    case 'date_part':
      // date_part rounds on the way to its double, extract is exact; its field can't be a cast text
      return `(extract(${wordOf(node)} FROM ${texts[1]})::double precision)`
    case 'time_bucket':
      return `date_bin(${texts[0]}, ${texts[1]}, ${texts[2] ?? `'2000-01-03 00:00:00+00'::timestamptz`})`
    case 'substring':
    case 'substr':
      return `substr(${texts[0]}, ${texts
        .slice(1)
        .map((position) => `${position}::int`)
        .join(', ')})`
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
    case 'add_days':
    case 'days_add':
    case 'subtract_days':
      return printCall(
        node,
        texts.map((one, index) => (node.args[index]?.type === 'bigint' ? `${one}::int` : one)),
      )
    case 'subtract_dates':
      return `(${printCall(node, texts)}::bigint)`
    case 'shift_left':
      return `(${texts[0]} << ${texts[1]}::int)`
    case 'shift_right':
      return `(${texts[0]} >> ${texts[1]}::int)`
    case 'width_bucket':
      return `(width_bucket(${texts.join(', ')}::int)::bigint)`
    case 'left':
    case 'right':
    case 'repeat':
    case 'round_to':
    case 'trunc_to':
    case 'lpad':
    case 'rpad':
    case 'split_part':
    case 'chr':
      // its counts are int
      return printCall(
        node,
        texts.map((one, index) => (node.args[index]?.type === 'bigint' ? `${one}::int` : one)),
      )
    default:
      return printCall(node, texts)
  }
}

function wordOf({ args: [field] }: Extract<Node, { kind: 'call' }>): string {
  return field?.kind === 'literal' ? quoteText(String(field.value)) : ''
}

const BOOLEAN_EXTREMES = { min: 'bool_and', max: 'bool_or' }

function printAggregate(
  node: Extract<Node, { kind: 'aggregate' }>,
  print: (node: Node) => string,
  names: Readonly<Record<string, string>>,
): string {
  const { name, distinct, filter } = node
  const args = argumentsOf(node).map(print)
  const inner = args.length === 0 ? '*' : args.join(', ')
  const where = filter === null ? '' : ` FILTER (WHERE ${print(filter)})`
  if (name === 'approx_distinct') return `COUNT(DISTINCT ${inner})${where}`
  if (name === 'avg' && node.type !== 'interval')
    return `AVG(${distinct ? 'DISTINCT ' : ''}(${inner})::double precision)${where}`
  return `${names[name] ?? name}(${distinct ? 'DISTINCT ' : ''}${inner})${where}`
}

const printPostgres = printer(POSTGRES)

/** Exact in both, for one declared type. */
const POSTGRES_NUMBERS: readonly (readonly [RegExp, ScalarType])[] = [
  [/^(gcd|lcm|mod|bit_xor_of|bit_not|shift_left|shift_right|to_hex)$/, 'bigint'],
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

const DUCK: Override = (node, print) => {
  if (node.kind === 'field') return String(node.path[0])
  if (node.kind === 'literal') return printLiteral(node, 'timestamp')
  if (node.kind === 'aggregate' && isStatistic(node.name)) return printDuckStatistic(node, print)
  if (node.kind === 'aggregate' && isOrderedList(node.name)) return printDuckList(node, print)
  if (node.kind === 'aggregate') return printAggregate(node, print, { every: 'bool_and' })
  if (node.kind !== 'call') return undefined
  // the column holds times already
  if (node.id === 'cast_to_timestamptz') return print(node.args[0] as Node)
  const texts = node.args.map(print)
  switch (node.id) {
    case 'divide_integers':
      return `(${texts.join(' // ')})`
    case 'ascii':
    case 'strpos':
    case 'bit_length':
      return `CAST(${printCall(node, texts)} AS bigint)`
    case 'chr':
      return `chr(CAST(${texts[0]} AS integer))`
    case 'lpad':
    case 'rpad':
      return `${node.id}(${texts[0]}, CAST(${texts[1]} AS integer), ${texts[2] ?? `' '`})`
    case 'extract':
    case 'date_part':
      return `CAST(date_part(${texts.join(', ')}) AS double precision)`
    case 'like':
    case 'not_like':
    case 'ilike':
    case 'not_ilike':
      return `(${printCall(node, texts).slice(1, -1)} ESCAPE '\\')`
    case 'timestamp_millis':
      return `epoch_ms(${texts[0]})`
    case 'timestamp_micros':
      return `make_timestamp(${texts[0]})`
    case 'is_unknown':
      return `(${texts[0]} IS NULL)`
    case 'is_not_unknown':
      return `(${texts[0]} IS NOT NULL)`
    default:
      return printCall(node, texts)
  }
}

const printDuck = printer(DUCK)

export const DUCKDB: Dialect = {
  name: 'DuckDB',
  types: DIALECT_TYPES,
  // a column of times takes their texts without looking at the zone
  exactDoubles: EXACT_DOUBLES,
  fields: fieldsOf(['Z', ''], ['0', '7', '-1', '12', '9223372036854775807']),
  allows: (signature) => {
    // an origin of buckets of months is cut to its month there
    if (signature.id === 'time_bucket' && signature.args.length > 2) return false
    if (/^timestamp_(millis|micros)$/.test(signature.id)) return signature.args[0] === 'bigint'
    return allowsCommon(signature)
  },
  allowsAggregate: (name, args) => EXACT_AGGREGATES.test(name) || allowsList(name, args) || allowsStatistic(name, args),
  allowsSymmetric: false,
  literal: (type, random) => literalOf(type, random, ['']),
  argument: (id, index, random) =>
    writtenArgument(id, index, random, {
      units: UNITS,
      fieldsOfTime: FIELDS_OF_TIME,
      widths: [...WIDTHS, ...MONTHS],
      substringFrom: 1,
      parts: [1, -5],
    }),
  print: printDuck,
  printOutput: (node) =>
    node.type === 'timestamptz' ? `epoch_us(${printDuck(node)})::text` : `(${printDuck(node)})::text`,
}
