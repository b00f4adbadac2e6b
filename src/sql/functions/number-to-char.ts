/** Owns to_char of numbers, and of undeclared values, which may be numbers or points in time. */
import { type Decimal, decimalOfInteger, parseDecimal, powerOfTen } from '../../core/decimal.ts'
import { doubleDigits, exactDigits, type NumberDigits } from '../../core/number-digits.ts'
import { compileNumberTemplate, type NumberTemplate, NumberTemplateError } from '../../core/number-template.ts'
import { writeNumber } from '../../core/number-template-write.ts'
import { isInt64 } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import { compileTimeTemplate, type TimeTemplate } from '../../core/time-template.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isNumber, isOneOf, setString, wrongKind } from './argument.ts'
import { exactOf } from './compare-values.ts'
import { doubleOf } from './number-arithmetic.ts'
import { type Apply, type Compiled, evaluateTemplate, specializeTemplate } from './template-argument.ts'
import { isTime } from './time-argument.ts'

const PATTERNS =
  '9 and 0 for digits, . or D and , or G between them, S, MI, PL, SG and PR for the sign, V to shift the point, EEEE, RN, TH, FM for no filling'

/** Also for to_number. */
export function compileForNumbers(text: string): Compiled<NumberTemplate> {
  try {
    return { template: compileNumberTemplate(text) }
  } catch (error) {
    if (error instanceof NumberTemplateError) return { refusal: error.message }
    throw error
  }
}

function show(r: Registers, out: number, template: NumberTemplate, digits: NumberDigits): void {
  const text = writeNumber(template, digits)
  if (text !== undefined) setString(r, out, text)
  else r.setError(out, 'invalid_argument', `to_char: ${digits.text} has no ordinal`)
}

const showBigint: Apply<NumberTemplate> = (r, out, template, a) => {
  const { shift } = template
  // beyond 64 bits it would be no bigint
  if (shift > 0 && !fitsShifted(r.bigIntegerOf(a), powerOfTen(shift)))
    r.setError(out, 'integer_out_of_range', 'bigint out of range')
  else show(r, out, template, exactDigits(decimalOfInteger(r.bigIntegerOf(a)), template))
}

/** As in PostgreSQL, which multiplies bigints. */
function fitsShifted(value: bigint, unit: bigint): boolean {
  return isInt64(unit) && isInt64(value * unit)
}

const showExact: Apply<NumberTemplate> = (r, out, template, a) => {
  show(r, out, template, exactDigits(exactOf(r, a), template))
}

const showDouble: Apply<NumberTemplate> = (r, out, template, a) => {
  show(r, out, template, doubleDigits(doubleOf(r, a), template))
}

/** By its decimal, as it was written: 3.0 and 3 are one value, and 2.675 has an even place less than its double. */
const showUndeclared: Apply<NumberTemplate> = (r, out, template, a) => {
  if (!isNumber(r, a)) wrongKind(r, out, 'to_char', a)
  else if (r.tag[a] !== TAG.DOUBLE) showExact(r, out, template, a)
  else {
    const decimal = decimalAsWritten(r.num[a] as number)
    if (decimal === undefined) showDouble(r, out, template, a)
    else show(r, out, template, exactDigits(decimal, template))
  }
}

/** Undefined: NaN or infinite. */
function decimalAsWritten(value: number): Decimal | undefined {
  return Number.isInteger(value) ? decimalOfInteger(BigInt(value)) : parseDecimal(String(value))
}

interface EitherTemplate {
  readonly isEmpty: boolean
  readonly time: TimeTemplate
  readonly number: Compiled<NumberTemplate>
}

const showAny: Apply<EitherTemplate> = (r, out, { isEmpty, time, number }, a) => {
  if (!isNumber(r, a)) {
    if (!isTime(r, out, 'to_char', a)) return
    // of a number an empty template is an empty text
    if (isEmpty) r.setNull(out)
    else setString(r, out, time(r, a))
  } else if ('refusal' in number) r.setError(out, 'invalid_argument', `to_char: ${number.refusal}`)
  else showUndeclared(r, out, number.template, a)
}

function entry<T>(
  id: string,
  types: readonly ScalarType[],
  compile: (text: string) => Compiled<T>,
  apply: Apply<T>,
  doc: FunctionEntry['doc'],
): FunctionEntry {
  const templates = { name: 'to_char', compile, apply }
  return {
    id,
    name: 'to_char',
    form: 'function',
    resolve: ([value, template, further]) =>
      isOneOf(value, ...types) && template === 'text' && further === undefined ? 'text' : undefined,
    signature: 'to_char(number, template text)',
    strict: true,
    canFail: always,
    evaluate: evaluateTemplate(templates),
    specialize: ([, template]) => specializeTemplate(templates, template),
    doc,
  }
}

const doc = (what: string): FunctionEntry['doc'] => ({
  summary: `${what} as text by a template: ${PATTERNS}; other texts in double quotes. ### where there is no room.`,
  example: "to_char(revenue, 'FM999,999,990.00')",
})

export const NUMBER_TO_CHAR_FUNCTIONS: readonly FunctionEntry[] = [
  entry('to_char_bigint', ['bigint'], compileForNumbers, showBigint, doc('The integer')),
  entry(
    'to_char_numeric',
    ['numeric'],
    compileForNumbers,
    showExact,
    doc('The exact number, rounded half away from zero,'),
  ),
  entry(
    'to_char_double',
    ['double precision'],
    compileForNumbers,
    showDouble,
    doc('The double, with 15 digits at most,'),
  ),
  entry('to_char_number', ['number'], compileForNumbers, showUndeclared, doc('The number, by its decimal,')),
  entry(
    'to_char_any',
    ['any'],
    (text) => ({
      template: { isEmpty: text === '', time: compileTimeTemplate(text), number: compileForNumbers(text) },
    }),
    showAny,
    doc('The undeclared number, by its decimal,'),
  ),
]
