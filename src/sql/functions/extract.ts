/** Owns extract and date_part: parts of points in time, of an instant in UTC, and of intervals. */
import { RollupdError } from '../../core/errors.ts'
import { INTERVAL_FIELDS, readIntervalFieldOf } from '../../core/interval-field.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { TIME_TYPES, type ScalarType, type TimeType } from '../../core/scalar-type.ts'
import { hasField, type ReadField, readFieldOf, TIMESTAMP_FIELDS } from '../../core/timestamp-field.ts'
import { unitName } from '../../core/time-unit.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isInterval, isLocalTimestamp, isOneOf, isText, quote, textOf, wrongKind } from './argument.ts'
import { isTime, isTimeOrAny, literalUnit, unknownWord } from './time-argument.ts'

type Name = 'extract' | 'date_part'
type SubjectType = TimeType | 'interval'

const SUBJECT_TYPES: readonly SubjectType[] = [...TIME_TYPES, 'interval']

/** How to read the field of a type; undefined: the type has no such field. date_part takes a date for its midnight. */
function readerOf(name: Name, type: SubjectType, field: string): ReadField | undefined {
  if (type === 'interval') return readIntervalFieldOf(field)
  const asked = type === 'date' && name === 'date_part' ? 'timestamp' : type
  return hasField(asked, field) ? readFieldOf(field) : undefined
}

function typeAt(r: Registers, index: number): SubjectType {
  if (isInterval(r, index)) return 'interval'
  if (r.tag[index] === TAG.DATE) return 'date'
  return isLocalTimestamp(r, index) ? 'timestamp' : 'timestamptz'
}

function extract(r: Registers, out: number, name: Name, a: number, b: number): void {
  if (!isText(r, a)) wrongKind(r, out, name, a)
  else if (isInterval(r, b) || isTime(r, out, name, b)) {
    const type = typeAt(r, b)
    const read = readerOf(name, type, unitName(textOf(r, a)))
    if (read === undefined) setUnknownField(r, out, name, quote(r, a), type)
    else r.setDouble(out, read(r, b))
  }
}

function setUnknownField(r: Registers, out: number, name: Name, quotedField: string, type: SubjectType): void {
  r.setError(out, 'invalid_argument', `${name} knows no field ${quotedField} of ${type}`)
}

/** Of a subject that has its type with each value. */
function extractOfAny(name: Name, field: string): Evaluate {
  const readers = new Map(SUBJECT_TYPES.map((type) => [type, readerOf(name, type, field)]))
  return (r, out, _a, b) => {
    if (!isInterval(r, b) && !isTime(r, out, name, b)) return
    const type = typeAt(r, b)
    const read = readers.get(type)
    if (read === undefined) setUnknownField(r, out, name, `"${field}"`, type)
    else r.setDouble(out, read(r, b))
  }
}

function declaredType(subject: Expression | undefined): SubjectType {
  return subject === undefined || subject.type === 'any' ? 'timestamptz' : (subject.type as SubjectType)
}

function fieldsOf(type: SubjectType): readonly string[] {
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
      if (readFieldOf(word) === undefined) throw unknownWord(field, 'field', fieldsOf(declaredType(subject)))
      if (subject?.type === 'any') return extractOfAny(name, word)
      const type = declaredType(subject)
      const read = readerOf(name, type, word)
      if (read !== undefined) return (r, out, _a, b) => r.setDouble(out, read(r, b))
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
