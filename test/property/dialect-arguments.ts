/** Owns the arguments of calls that other engines take written out, or of a few values only. */
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { dialectField } from './dialect.ts'
import { NUMBER_TEMPLATES, WRITE_TIME_TEMPLATES } from './naive-templates.ts'
import { castTo, type Node } from './syntax.ts'

const PATTERNS = ['%', 'a%', '%b', '_', 'A%', '%a%b%', '\\%', 'a\\%%', '', 'ä', '_b%']
const FILLS = ['a', 'b', ' ', '日', 'xy', '%']
export const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade']
/** They begin with their year 1; DuckDB's with the year before. */
export const LONG_UNITS = ['century', 'millennium']
export const FIELDS_OF_TIME = [
  ...['century', 'decade', 'year', 'isoyear', 'quarter', 'month', 'week', 'day', 'doy', 'dow'],
  ...['isodow', 'hour', 'minute', 'millennium'],
]
/** DuckDB cuts or rounds them on the way. */
export const FRACTIONS_OF_TIME = ['epoch', 'second', 'milliseconds', 'microseconds']
export const WIDTHS = ['1 second', '5 minutes', '1 hour', '1 day', '2 weeks', '13 microseconds']
export const MONTHS = ['1 month', '3 months', '1 year']
const ZONE_NAMES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC']
/** NaN has no ordinal, which ends PostgreSQL's statement. */
const SAFE_TEMPLATES = NUMBER_TEMPLATES.filter((template) => !template.endsWith('th'))
/** What differs between the engines. */
export interface Lists {
  readonly units: readonly string[]
  readonly fieldsOfTime: readonly string[]
  readonly widths: readonly string[]
  /** DuckDB counts from the end before 1. */
  readonly substringFrom: number
  /** The first of five places of split_part. */
  readonly parts: readonly number[]
}

export function writtenArgument(id: string, index: number, random: SeededRandom, lists: Lists): Node | undefined {
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
  if (id.startsWith('to_char') && index === 1) return pickText(id === 'to_char' ? WRITE_TIME_TEMPLATES : SAFE_TEMPLATES)
  if (id === 'chr') return pickNumber(random.pick([60, 228, 8_360, 128_510]))
  if (id === 'to_timestamp') return castTo('double precision', dialectField('e'))
  if (id === 'timestamp_millis' || id === 'timestamp_micros') return castTo('bigint', dialectField('i'))
  return undefined
}
