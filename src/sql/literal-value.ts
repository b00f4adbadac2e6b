/** Owns the step between a literal of the tree and a register: compilers load literals, the analyser reads what a cast made. */
import { assert } from '../core/assert.ts'
import { type Decimal, decimalToText, normalizeDecimal, parseDecimal } from '../core/decimal.ts'
import { intervalOf, setBigInterval } from '../core/interval.ts'
import { formatInterval, parseInterval } from '../core/interval-text.ts'
import { readJsonInto } from '../core/json-path.ts'
import { keyBytesOf } from '../core/key-bytes.ts'
import { keyToJsonText } from '../core/key-reader.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Literal, LiteralValue } from './expression.ts'

const ENCODER = new TextEncoder()

/** Puts a literal's value into a register. */
export function loadLiteral(r: Registers, out: number, literal: Literal): void {
  const { value, type } = literal
  if (value === null) r.setNull(out)
  else if (typeof value === 'boolean') r.setBoolean(out, value)
  else if (type === 'bigint') r.setBigInteger(out, BigInt(value))
  else if (type === 'timestamptz') r.setBigTimestamp(out, BigInt(value))
  else if (type === 'timestamp') {
    r.setBigTimestamp(out, BigInt(value))
    r.toLocal(out)
  } else if (type === 'date') r.setDate(out, Number(value))
  else if (type === 'interval') loadInterval(r, out, String(value))
  else if (type === 'double precision' || typeof value === 'number') r.setDouble(out, Number(value))
  else if (type === 'numeric') loadNumeric(r, out, value)
  else if (type === 'jsonb') readJsonInto(ENCODER.encode(value), 0, r, out)
  else {
    const bytes = ENCODER.encode(value)
    r.setText(out, bytes, 0, bytes.length)
  }
}

function loadInterval(r: Registers, out: number, text: string): void {
  const interval = parseInterval(text)
  assert(interval !== undefined, `"${text}" is no interval literal`)
  setBigInterval(r, out, interval.months, interval.days, interval.microseconds)
}

/** Whole numbers of any size stay integers: an undeclared field beside them holds integers too. */
function loadNumeric(r: Registers, out: number, digits: string): void {
  const written = parseDecimal(digits)
  assert(written !== undefined, `"${digits}" is no decimal literal`)
  const decimal = normalizeDecimal(written)
  r.setDecimal(out, decimal)
}

/** The value of a register as a literal of that type has it, or the error that the register holds. */
export function readLiteral(
  r: Registers,
  index: number,
  type: ScalarType,
): LiteralValue | { readonly error: CellError } {
  if (type === 'jsonb' && r.tag[index] !== TAG.NULL && r.tag[index] !== TAG.ERROR) return canonicalJson(r, index)
  switch (r.tag[index]) {
    case TAG.NULL:
      return null
    case TAG.BOOLEAN:
      return r.num[index] === 1
    case TAG.INTEGER:
    case TAG.BIG_INTEGER:
      return type === 'double precision' ? Number(r.bigIntegerOf(index)) : r.bigIntegerOf(index).toString()
    case TAG.DOUBLE:
      return toDoubleValue(r.num[index] as number)
    case TAG.DATE:
      return (r.num[index] as number).toString()
    case TAG.INTERVAL:
    case TAG.BIG_INTERVAL:
      return formatInterval(intervalOf(r, index))
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      return r.microsecondsOf(index).toString()
    case TAG.NUMERIC:
      return decimalToText(r.ref[index] as Decimal)
    case TAG.TEXT:
      return Buffer.from(r.bytesOf(index)).toString('utf8')
    case TAG.ERROR:
      return { error: r.ref[index] as CellError }
    default:
      assert(false, `a literal of type ${type} can't hold tag ${r.tag[index]}`)
  }
}

function canonicalJson(r: Registers, index: number): string {
  return keyToJsonText(keyBytesOf(r, index), 0)
}

/** JSON has no NaN and no infinities, and a plan is stored as JSON. */
function toDoubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}
