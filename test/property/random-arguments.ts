/** Owns what random expressions are given: flavours of fields that fit a call, arguments that are written out, literals of each type. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import {
  BIGINT_TEMPLATES,
  NUMBER_TEMPLATES,
  READ_NUMBER_TEMPLATES,
  READ_TIME_TEMPLATES,
  WRITE_TIME_TEMPLATES,
} from './naive-templates.ts'
import { SPANS } from './naive-interval-text.ts'
import {
  randomDouble,
  randomInteger,
  randomPattern,
  randomText,
  randomTime,
  randomUnit,
  type Flavour,
} from './random-values.ts'
import type { LiteralNode, Node } from './syntax.ts'

/** Flavours whose values the cast to a type takes. */
export const CASTABLE: Partial<Record<ScalarType, readonly Flavour[]>> = {
  bigint: ['small', 'integer', 'intText', 'double'],
  'double precision': ['small', 'double', 'doubleText', 'number'],
  numeric: ['small', 'double', 'doubleText', 'intText'],
  text: ['word', 'text', 'pattern', 'small', 'double', 'object', 'boolean'],
  boolean: ['boolean', 'booleanText', 'small'],
  timestamptz: ['timeText'],
  jsonb: ['object', 'array', 'small', 'boolean', 'jsonText'],
  timestamp: ['timeText'],
  date: ['timeText'],
  interval: ['spanText'],
}

const NUMBER_FLAVOURS: readonly Flavour[] = ['small', 'integer', 'double', 'number']
const TEXTS: readonly Flavour[] = ['word', 'text', 'pattern']
const JSONS: readonly Flavour[] = ['object', 'array']
export const SCALAR_FLAVOURS: readonly Flavour[] = [...NUMBER_FLAVOURS, 'word', 'text', 'boolean', 'timeText']
/** What undeclared arguments of a call should be, by its id. */
const WANTED: readonly (readonly [RegExp, readonly (readonly Flavour[])[]])[] = [
  [/^array_to_string$/, [['array'], ['word'], ['word']]],
  [/^(string_to_array|url_.*|hash64|crc32|sha.*)$/, [TEXTS, ['word'], ['word']]],
  [/^(jsonb_array_length|cardinality|array_length)$/, [['array']]],
  [/^\w+_(any|all)$/, [['small', 'word'], ['array']]],
  [/^(contains|contained|join_json)$/, [JSONS, JSONS]],
  [/^(jsonb_set|jsonb_set_lax|jsonb_insert)$/, [JSONS, ['array'], [...JSONS, 'small', 'word'], ['boolean']]],
  [/^remove_path$/, [JSONS, ['array']]],
  [/^(has_any_key|has_all_keys|remove_from_json)$/, [JSONS, ['array']]],
  [/^(has_key|jsonb_extract_path|jsonb_extract_path_text)$/, [JSONS, ['word'], ['word']]],
  [/^(jsonb_strip_nulls|jsonb_typeof|to_jsonb|jsonb_pretty)$/, [[...JSONS, 'small', 'word'], ['boolean']]],
  [/^(member|member_text|path|path_text)$/, [JSONS, ['word', 'small']]],
  [
    /^(add|subtract|multiply|divide|remainder|negate|abs|round|floor|ceil|ceiling|to_timestamp|timestamp_)/,
    [NUMBER_FLAVOURS, NUMBER_FLAVOURS],
  ],
  [
    /^(sqrt|cbrt|exp|ln|log|log10|log_to|degrees|radians|sin|cos|tan|asin|acos|atan|atan2|cot|a?(sin|cos|tan)h|sign|trunc|trunc_to|mod|div|power|pow|raise)$/,
    [NUMBER_FLAVOURS, [...NUMBER_FLAVOURS, 'small']],
  ],
  [
    /^(gcd|lcm|bit_(and|or|xor)_of|bit_not|shift_left|shift_right)$/,
    [
      ['small', 'integer'],
      ['small', 'integer'],
    ],
  ],
  [/^number_bucket$/, [NUMBER_FLAVOURS, ['small', 'double']]],
  [/^factorial$/, [['small']]],
  [/^width_bucket$/, [NUMBER_FLAVOURS, ['small'], ['small'], ['small']]],
  [
    /^(greatest|least)$/,
    [
      ['small', 'word'],
      ['small', 'double'],
      ['small', 'double'],
    ],
  ],
  [/^(substring|substr)$/, [TEXTS, ['small'], ['small']]],
  [/^(left|right|repeat)$/, [TEXTS, ['small']]],
  [/^(lpad|rpad)$/, [TEXTS, ['small'], TEXTS]],
  [/^split_part$/, [TEXTS, ['word'], ['small']]],
  [/^(chr|to_hex|to_oct|to_bin)$/, [['small', 'integer']]],
  [/^(strpos|starts_with|has_prefix|reverse|md5|sha256|ascii|translate|initcap)$/, [TEXTS, ['word'], ['word']]],
  [/^to_char/, [NUMBER_FLAVOURS]],
  [/^(to_number|to_date|to_timestamp_template)$/, [TEXTS]],
  [/^overlay$/, [TEXTS, ['word'], ['small'], ['small']]],
  [/^quote_/, [TEXTS]],
  [/^(encode|decode)$/, [TEXTS]],
  [/^format$/, [['pattern'], [...TEXTS, 'small'], [...TEXTS, 'double'], TEXTS]],
  [/^concat/, [[...TEXTS, 'small'], [...TEXTS, 'double'], TEXTS]],
  [/^regexp_/, [TEXTS]],
  [/^(lower|upper|.*length|.*trim|replace|like|not_like|ilike|not_ilike|concatenate)$/, [TEXTS, TEXTS, TEXTS]],
  [/^(is_|not$)/, [['boolean']]],
  [/^(date_trunc|date_trunc_zone|date_part)$/, [['unitText']]],
  [/^(try_)?cast_to_bigint$/, [CASTABLE.bigint ?? []]],
  [/^(try_)?cast_to_double$/, [CASTABLE['double precision'] ?? []]],
  [/^(try_)?cast_to_numeric$/, [CASTABLE.numeric ?? []]],
  [/^(try_)?cast_to_boolean$/, [CASTABLE.boolean ?? []]],
  [/^(try_)?cast_to_jsonb$/, [CASTABLE.jsonb ?? []]],
  [/^(try_)?cast_to_interval$/, [CASTABLE.interval ?? []]],
  [
    /^(make_|multiply_interval|interval_multiply|divide_interval|add_days|days_add|subtract_days)/,
    Array.from({ length: 7 }, () => ['small'] as const),
  ],
  [/^(try_)?cast_to_(timestamptz|timestamp|date)$/, [CASTABLE.timestamptz ?? []]],
]

/** What undeclared arguments of an aggregate should be; undefined: it doesn't matter. */
export function aggregateFlavours(name: string): readonly Flavour[] | undefined {
  if (/^(bool_|every)/.test(name)) return ['boolean']
  if (name.startsWith('bit_')) return ['small']
  if (name === 'string_agg') return TEXTS
  return /^(sum|avg|approx_percentile|percentile_cont|median|var|stddev|covar|corr|regr)/.test(name)
    ? NUMBER_FLAVOURS
    : undefined
}

/** For each argument; undefined: it doesn't matter. */
export function wantedFlavours(id: string): readonly (readonly Flavour[])[] | undefined {
  return WANTED.find(([pattern]) => pattern.test(id))?.[1]
}

const EXTRACT_FIELDS = [
  ...['epoch', 'millennium', 'century', 'decade', 'year', 'isoyear', 'quarter', 'month', 'week', 'day', 'doy', 'dow'],
  ...['isodow', 'hour', 'minute', 'second', 'milliseconds', 'microseconds', 'julian'],
]
const CLOCK_FIELDS = ['hour', 'minute', 'second', 'milliseconds', 'microseconds']
const SPAN_FIELDS = [
  ...['epoch', 'millennium', 'century', 'decade', 'year', 'quarter', 'month', 'week', 'day', ...CLOCK_FIELDS],
]
const SPAN_UNITS = [...['millennium', 'century', 'decade', 'year', 'quarter', 'month', 'day', ...CLOCK_FIELDS]]

/** The fields and units that a call may name for such a subject; undefined: the call names none. */
export function wordsOf(id: string, subject: ScalarType | undefined): readonly string[] | undefined {
  if (id === 'date_trunc_interval') return SPAN_UNITS
  if (id !== 'extract' && id !== 'date_part') return undefined
  if (subject === 'interval') return SPAN_FIELDS
  if (subject === 'date' && id === 'extract') return EXTRACT_FIELDS.filter((field) => !CLOCK_FIELDS.includes(field))
  return subject === 'timestamptz' || subject === 'any'
    ? [...EXTRACT_FIELDS, 'timezone', 'timezone_hour']
    : EXTRACT_FIELDS
}

const READ_ONCE =
  /^((time_bucket|time_bucket_zone|date_bin|timezone) 0|(path|path_text|remove_path|jsonb_set|jsonb_insert|has_any_key|has_all_keys|array_length) 1|date_(trunc|part|trunc_zone|trunc_interval) 0|\w*_zone 2|\w*like 1|\w+_(any|all) 1)$/
const REGEXPS = ['a', '^a', 'b$', '[a-c]+', '(a)(b)?', '\\d+', 'a.*b', 'x|y', '', '^$', '[^a]', 'd?e', 'ä', '.']
const PATHS = [
  ...['{x}', '{y}', '{x,y}', '{0}', '{-1}', '{x,0}', '{}', '{"x"}', '{ y , 1 }', '{Ä}', '{""}'],
  ...['{z}', '{-9}', '{9}', '{1,x}', '{" 1"}', '{"1 "}', '{+0}', '{x,-1}', '{99999999999}'],
]
const TREATMENTS = ['use_json_null', 'delete_key', 'return_target', 'raise_exception', 'DELETE_KEY']
const KEY_LISTS = ['{x}', '{x,y}', '{}', '{Ä,z,0}']
const JSONS_WRITTEN = [
  '{}',
  '[]',
  '{"x":1}',
  '[1,"a",null]',
  '"a"',
  '1.5',
  'true',
  '{"x":{"y":[1]},"z":null}',
  '12345678901234567890',
]
const MEMBERS = ['x', 'y', 'xy', '0', 'Ä', '']
/** Half hours, negative ones, two changes at odd dates, none. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'asia/kolkata', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC']
const CODED = ['', 'YQ==', 'w6Q=', 'YWJj', '6162', 'c3a4', 'ff', 'YQ', 'abcd', ' 61 \n62 ', '00', 'AA==', '=']
const TEMPLATES = [
  '%s',
  '%s-%s',
  '%L',
  '%I',
  '%2$s %1$s',
  '%5s|',
  '%-5s|',
  '%%',
  '%',
  '%*s',
  'ä%s',
  '%3$L',
  '%-3L%s',
  '%d',
]
const NUMBERS_WRITTEN = [
  '12',
  '-12.5',
  '1,234.56',
  ' 7',
  '<5>',
  '12-',
  '-',
  '+3.',
  '$ 4.5',
  'XIV',
  'iv ',
  '999999',
  '00012',
  '4th',
  'é1',
  '',
]
const TIMES_WRITTEN = [
  ...[
    '2026-01-31',
    '2026-1-3 4:05:06',
    '20260131',
    '26-01-31',
    '12:30',
    '2024 366',
    '31 Jan 2026',
    '1/2/2026',
    '2026-02-30',
  ],
  ...['1 MAY 99', ' 2026 - 01', '-44-03-15', '0000-01-01', '2026-13-01', '25:00', '', '2023 366', '99999999999'],
]
const SHORT_TEXTS = ['a', 'b', 'A', 'de', 'ab', '', 'x', 'true', '1']
const WIDE = ['9223372036854775808', '-9223372036854775809', '1000000000000000000000000', '18446744073709551616']
const WIDTHS = [
  '1 second',
  '5 minutes',
  '90 seconds',
  '1 hour',
  '1 day',
  '2 weeks',
  '1 month',
  '3 months',
  '1 year',
  '7 days',
  '13 microseconds',
]

/** Whether the analyser reads the argument, where it is written out. */
export function isReadOnce(id: string, index: number): boolean {
  return READ_ONCE.test(`${id} ${index}`)
}

/** Arguments that are mostly written out: units, patterns, paths, positions. */
export function writtenArgument(random: SeededRandom, id: string, index: number, type: ScalarType): Node | undefined {
  // months are refused there when they are written
  if (id === 'date_bin' && index === 0) {
    const widths = WIDTHS.filter((width) => !/mon|year|decade|centur|P\d+[YM]/i.test(width))
    return { kind: 'literal', type: 'interval', value: random.pick(widths) }
  }
  if (id === 'timezone' && index === 0 && type === 'text') return textLiteral(random.pick(ZONES))
  if (id.startsWith('time_bucket') && index === 0)
    return { kind: 'literal', type: 'interval', value: random.pick(WIDTHS) }
  if (id === 'make_timestamptz' && index === 6) return textLiteral(random.pick(ZONES))
  if (id.endsWith('_zone') && index === 2) return textLiteral(random.pick(ZONES))
  // a pattern that a record brings may be one in one engine only
  if (id.startsWith('regexp_') && index === 1) return textLiteral(random.pick(REGEXPS))
  if (/^regexp_(like|match|split_to_array)$/.test(id) && index === 2) return textLiteral(random.pick(['', 'i']))
  const template = index === 1 ? templatesOf(id) : undefined
  if (template !== undefined) return textLiteral(random.pick(template))
  if (random.chance(0.25)) return undefined
  if (id === 'to_number' && index === 0) return textLiteral(random.pick(NUMBERS_WRITTEN))
  if ((id === 'to_date' || id === 'to_timestamp_template') && index === 0)
    return textLiteral(random.pick(TIMES_WRITTEN))
  if (id === 'array_length' && index === 1) return smallLiteral(random, 1, 1)
  if (/^has_(any|all)_keys?$/.test(id) && index === 1 && type === 'text') return textLiteral(random.pick(KEY_LISTS))
  if ((id === 'has_key' || id === 'remove_from_json' || id.startsWith('jsonb_extract')) && index > 0 && type === 'text')
    return textLiteral(random.pick(MEMBERS))
  if (id === 'remove_from_json' && type === 'bigint') return smallLiteral(random, -2, 4)
  if (id.startsWith('date_trunc') && index === 0) return textLiteral(randomUnit(random))
  if (id.endsWith('like') && index === 1) return textLiteral(randomPattern(random))
  if (id === 'jsonb_set_lax' && index === 4) return textLiteral(random.pick(TREATMENTS))
  if (/^(path|remove_path|jsonb_set|jsonb_insert)/.test(id) && index === 1 && type === 'text')
    return textLiteral(random.pick(PATHS))
  if (id.startsWith('member') && index === 1)
    return type === 'text' ? textLiteral(random.pick(MEMBERS)) : smallLiteral(random, -2, 3)
  if ((id === 'round_to' || id === 'trunc_to') && index === 1) return smallLiteral(random, -4, 9)
  if (/^(left|right|repeat|lpad|rpad)$/.test(id) && index === 1) return smallLiteral(random, -3, 9)
  if (id === 'number_bucket' && index === 1 && type === 'bigint') return smallLiteral(random, 0, 12)
  if (id === 'width_bucket' && index === 3) return smallLiteral(random, 0, 12)
  if (id === 'split_part' && index === 1) return textLiteral(random.pick(SHORT_TEXTS))
  if (id === 'split_part' && index === 2) return smallLiteral(random, -3, 7)
  if (id === 'overlay' && index > 1) return smallLiteral(random, index === 2 ? 0 : -1, 5)
  if ((id === 'encode' || id === 'decode') && index === 1) return textLiteral(random.pick(['base64', 'hex', 'HEX']))
  if (id === 'decode' && index === 0) return textLiteral(random.pick(CODED))
  if (id === 'format' && index === 0) return textLiteral(random.pick(TEMPLATES))
  if (id === 'factorial') return smallLiteral(random, random.pick([-2, 15, 60]), 9)
  if (id === 'chr') return smallLiteral(random, random.pick([-1, 60, 228, 8_360, 55_295, 128_510, 1_114_110]), 4)
  if (id.startsWith('subst') && index > 0) return smallLiteral(random, index === 1 ? -2 : 0, 6)
  return undefined
}

export function smallLiteral(random: SeededRandom, from: number, count: number): LiteralNode {
  return { kind: 'literal', type: 'bigint', value: String(from + random.below(count)) }
}

export function randomLiteral(random: SeededRandom, type: ScalarType): LiteralNode | undefined {
  if (type !== 'interval' && type !== 'any' && type !== 'number' && type !== 'numeric' && random.chance(0.05))
    return { kind: 'literal', type, value: null }
  switch (type) {
    case 'boolean':
      return { kind: 'literal', type, value: random.chance(0.5) }
    case 'bigint':
      return { kind: 'literal', type, value: randomInt64(random) }
    case 'numeric':
      return { kind: 'literal', type, value: random.pick(WIDE) }
    case 'double precision':
      return { kind: 'literal', type, value: Number(randomDouble(random)) + 0 }
    case 'text':
      return textLiteral(random.chance(0.5) ? random.pick(SHORT_TEXTS) : randomText(random))
    case 'timestamptz':
    case 'timestamp':
    case 'date':
      return { kind: 'literal', type, value: randomTime(random) }
    case 'interval':
      return { kind: 'literal', type, value: random.pick([...WIDTHS, ...SPANS]) }
    case 'jsonb':
      return { kind: 'literal', type, value: random.pick(JSONS_WRITTEN) }
    default:
      return undefined
  }
}

function randomInt64(random: SeededRandom): string {
  if (random.chance(0.7)) return String(random.below(13) - 2)
  const value = BigInt(randomInteger(random))
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value.toString() : '1'
}

function textLiteral(value: string): LiteralNode {
  return { kind: 'literal', type: 'text', value }
}

/** A call's second argument, always written out: what a record brings may be any text. */
function templatesOf(id: string): readonly string[] | undefined {
  if (id === 'to_char') return WRITE_TIME_TEMPLATES
  if (id === 'to_char_bigint') return BIGINT_TEMPLATES
  if (id.startsWith('to_char')) return NUMBER_TEMPLATES
  if (id === 'to_number') return READ_NUMBER_TEMPLATES
  return id === 'to_date' || id === 'to_timestamp_template' ? READ_TIME_TEMPLATES : undefined
}
