/** Owns to_timestamp and to_date with a template: the point in time that a text holds by it. */
import type { Registers } from '../../core/registers.ts'
import { timeOfFields, type TimeOfFields } from '../../core/time-fields.ts'
import { parseTimeTemplate, type TimePart } from '../../core/time-pattern.ts'
import { readTimeFields } from '../../core/time-template-read.ts'
import { TimeTextError } from '../../core/time-text-cursor.ts'
import {
  DATE_MAX,
  DATE_MIN,
  dayOfDate,
  MICROSECONDS_PER_DAY,
  setTimestampOfDay,
} from '../../core/timestamp-calendar.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isText, quote, textOf, wrongKind } from './argument.ts'
import {
  type Apply,
  type Compiled,
  evaluateTemplate,
  resolveTemplate,
  specializeTemplate,
} from './template-argument.ts'
import { outOfRange } from './time-argument.ts'

const MICROSECONDS_PER_SECOND = 1_000_000
/** Where PostgreSQL's count of microseconds begins: it rounds them away from there. */
const DAY_2000 = dayOfDate(2000, 1, 1)

function compile(text: string): Compiled<readonly TimePart[]> {
  const template = parseTimeTemplate(text)
  return template.some(({ pattern }) => pattern === 'TZ' || pattern === 'tz')
    ? { refusal: 'TZ is for to_char alone: read an offset with TZH and TZM or OF' }
    : { template }
}

interface Found extends TimeOfFields {
  readonly precision: number
}

/** Undefined, and an error is written, where the text holds no time. */
function read(r: Registers, out: number, name: string, template: readonly TimePart[], a: number): Found | undefined {
  if (!isText(r, a)) {
    wrongKind(r, out, name, a)
    return undefined
  }
  try {
    const fields = readTimeFields(template, textOf(r, a))
    const time = timeOfFields(fields)
    if (!('error' in time)) return { ...time, precision: fields.precision }
    r.setError(out, 'invalid_argument', `${name}: ${quote(r, a)}: ${time.error}`)
  } catch (error) {
    if (!(error instanceof TimeTextError)) throw error
    r.setError(out, 'invalid_argument', `${name}: ${quote(r, a)}: ${error.message}`)
  }
  return undefined
}

const toTimestamp: Apply<readonly TimePart[]> = (r, out, template, a) => {
  const time = read(r, out, 'to_timestamp', template, a)
  if (time === undefined) return
  const microsecond = roundTo(time.precision, time.day, time.microsecond - time.offset * MICROSECONDS_PER_SECOND)
  if (!setTimestampOfDay(r, out, time.day, microsecond)) outOfRange(r, out)
}

/** To so many places of the second, half away from 2000. */
function roundTo(places: number, day: number, microsecond: number): number {
  if (places === 0) return microsecond
  const unit = 10 ** (6 - places)
  const isBefore2000 = (day - DAY_2000) * MICROSECONDS_PER_DAY + microsecond < 0
  return isBefore2000 ? Math.ceil(microsecond / unit - 0.5) * unit : Math.floor(microsecond / unit + 0.5) * unit
}

const toDate: Apply<readonly TimePart[]> = (r, out, template, a) => {
  const time = read(r, out, 'to_date', template, a)
  if (time === undefined) return
  if (time.day >= DATE_MIN && time.day <= DATE_MAX) r.setDate(out, time.day)
  else r.setError(out, 'timestamp_out_of_range', 'date out of range')
}

function entry(
  id: string,
  name: string,
  type: 'timestamptz' | 'date',
  apply: Apply<readonly TimePart[]>,
  doc: FunctionEntry['doc'],
): FunctionEntry {
  const templates = { name, compile, apply }
  return {
    id,
    name,
    form: 'function',
    resolve: resolveTemplate(type),
    signature: `${name}(text, template text)`,
    strict: true,
    canFail: always,
    evaluate: evaluateTemplate(templates),
    specialize: ([, template]) => specializeTemplate(templates, template),
    doc,
  }
}

export const TIME_OF_TEXT_FUNCTIONS: readonly FunctionEntry[] = [
  entry('to_timestamp_template', 'to_timestamp', 'timestamptz', toTimestamp, {
    summary:
      'The instant that a text holds by a template, with the patterns of to_char: in UTC unless TZH, TZM or OF read an offset; FX before all makes each character count.',
    example: "to_timestamp(ts, 'DD/Mon/YYYY:HH24:MI:SS TZHTZM')",
  }),
  entry('to_date', 'to_date', 'date', toDate, {
    summary: 'The day that a text holds by a template, with the patterns of to_char.',
    example: "to_date(day, 'DD.MM.YYYY')",
  }),
]
