/** Owns extract and date_part: parts of points in time, of an instant in UTC, and of intervals. */
import { RollupdError } from '../../core/errors.ts'
import { INTERVAL_FIELDS, readIntervalFieldOf } from '../../core/interval-field.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType, TimeType } from '../../core/scalar-type.ts'
import { hasField, type ReadField, readFieldOf, TIMESTAMP_FIELDS } from '../../core/timestamp-field.ts'
import { unitName } from '../../core/time-unit.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isInterval, isLocalTimestamp, isOneOf, isText, quote, textOf, wrongKind } from './argument.ts'
import { isTime, isTimeOrAny, literalUnit, unknownWord } from './time-argument.ts'

type Name = 'extract' | 'date_part'

/** How to read the field of a type; undefined: the type has no such field. date_part takes a date for its midnight. */
function readerOf(name: Name, type: TimeType | 'interval', field: string): ReadField | undefined {
  if (type === 'interval') return readIntervalFieldOf(field)
  const asked = type === 'date' && name === 'date_part' ? 'timestamp' : type
  return hasField(asked, field) ? readFieldOf(field) : undefined
}

function typeAt(r: Registers, index: number): TimeType | 'interval' {
  if (isInterval(r, index)) return 'interval'
  if (r.tag[index] === TAG.DATE) return 'date'
  return isLocalTimestamp(r, index) ? 'timestamp' : 'timestamptz'
}

function extract(r: Registers, out: number, name: Name, a: number, b: number): void {
  if (!isText(r, a)) wrongKind(r, out, name, a)
  else if (isInterval(r, b) || isTime(r, out, name, b)) {
    const type = typeAt(r, b)
    const read = readerOf(name, type, unitName(textOf(r, a)))
    if (read === undefined) r.setError(out, 'invalid_argument', `${name} knows no field ${quote(r, a)} of ${type}`)
    else r.setDouble(out, read(r, b))
  }
}

function fieldsOf(type: TimeType | 'interval'): readonly string[] {
  return type === 'interval' ? INTERVAL_FIELDS : TIMESTAMP_FIELDS.filter((field) => hasField(type, field))
}

function isSubject(type: ScalarType | undefined): boolean {
  return isTimeOrAny(type) || type === 'interval'
}

function extractEntry(name: Name): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([field, subject, further]) =>
      isOneOf(field, 'text', 'any') && isSubject(subject) && further === undefined ? 'double precision' : undefined,
    signature:
      name === 'extract'
        ? 'extract(field FROM timestamptz | timestamp | date | interval)'
        : 'date_part(field text, timestamptz | timestamp | date | interval)',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => extract(r, out, name, a, b),
    specialize: ([field, subject]) => {
      const word = literalUnit(field)
      if (word === undefined) return undefined
      const type =
        subject === undefined || subject.type === 'any' ? 'timestamptz' : (subject.type as TimeType | 'interval')
      const read = readerOf(name, type, word)
      if (read !== undefined && type !== 'interval') {
        return (r, out, _a, b) => {
          if (isTime(r, out, name, b)) r.setDouble(out, read(r, b))
        }
      }
      if (read !== undefined) return (r, out, _a, b) => r.setDouble(out, read(r, b))
      if (readFieldOf(word) === undefined) throw unknownWord(field, 'field', fieldsOf(type))
      throw new RollupdError('sql_invalid', `${type} has no field "${word}"`, {
        position: field?.position,
        hint: `Write one of ${fieldsOf(type).join(', ')}.`,
      })
    },
    doc: {
      summary: 'A part of a point in time, of a timestamptz in UTC, or of an interval, as a double.',
      example: name === 'extract' ? 'extract(hour FROM ts::timestamptz)' : "date_part('hour', ts::timestamptz)",
    },
  }
}

export const EXTRACT_FUNCTIONS: readonly FunctionEntry[] = [extractEntry('extract'), extractEntry('date_part')]
