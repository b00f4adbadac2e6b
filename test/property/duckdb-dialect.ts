/** Owns what DuckDB is asked: the calls that mean the same there, and how it writes them. Its timestamp stands for timestamptz. */
import { DIALECT_TYPES, type Dialect } from './dialect.ts'
import { FIELDS_OF_TIME, MONTHS, UNITS, WIDTHS, writtenArgument } from './dialect-arguments.ts'
import { allowsCommon, EXACT_AGGREGATES } from './dialect-calls.ts'
import { EXACT_DOUBLES, fieldsOf, literalOf } from './dialect-fields.ts'
import {
  allowsList,
  allowsStatistic,
  isOrderedList,
  isStatistic,
  printDuckList,
  printDuckStatistic,
} from './dialect-lists.ts'
import { printAggregate, printer, printLiteral, type Override } from './dialect-print.ts'
import { printCall } from './print-syntax.ts'
import type { Node } from './syntax.ts'

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
