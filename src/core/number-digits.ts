/**
 * Owns the digits of a number as a template wants them: rounded, shifted, with an exponent, or as marks where there is no room. Exact numbers round
 * half away from zero; doubles round as they are, half to even, and show 15 digits, as PostgreSQL's do.
 */
import { type Decimal, decimalOfDouble, decimalToText, divideHalfAway, powerOfTen } from './decimal.ts'
import type { NumberTemplate } from './number-template.ts'
import { roundHalfEven } from './round-half-even.ts'
import { ROMAN_LENGTH_MAX, ROMAN_MAX, toRoman } from './roman-numeral.ts'

export interface NumberDigits {
  readonly isNegative: boolean
  /** Without a sign; with an exponent or Roman all of the text. */
  readonly text: string
  /** What the template has left of its digits behind the point. */
  readonly fraction: number
}

const DOUBLE_DIGITS = 15
/** Below it the language writes a double without an exponent. */
const FIXED_BELOW = 1e21
const EXPONENT_DIGITS = 2

export function exactDigits(value: Decimal, template: NumberTemplate): NumberDigits {
  const { fraction, shift } = template
  if (template.isRoman) return roman(Number(roundTo(value, 0).unscaled))
  if (template.isScientific) return { isNegative: false, text: scientific(value, fraction, divideHalfAway), fraction }
  const shifted = shift === 0 ? value : { unscaled: value.unscaled * powerOfTen(shift), scale: value.scale }
  const rounded = roundTo(shifted, fraction)
  const isNegative = rounded.unscaled < 0n
  const text = decimalToText(isNegative ? { ...rounded, unscaled: -rounded.unscaled } : rounded)
  return fitted(isNegative, text, fraction, template)
}

export function doubleDigits(value: number, template: NumberTemplate): NumberDigits {
  if (template.isRoman) return roman(value)
  if (template.isScientific) return scientificDouble(value, template)
  const shifted = template.shift === 0 ? value : value * Number(`1e${template.shift}`)
  const room = DOUBLE_DIGITS - fixed(Math.abs(shifted), 0).length
  const fraction = Math.max(Math.min(template.fraction, room), 0)
  const isNegative = shifted < 0
  return fitted(isNegative, fixed(Math.abs(shifted), fraction), fraction, template)
}

/** The places of the digits before the point, and those that are there. */
function fitted(isNegative: boolean, text: string, fraction: number, template: NumberTemplate): NumberDigits {
  const room = template.whole + template.shift
  const point = text.indexOf('.')
  const fits = (point < 0 ? text.length : point) <= room
  return { isNegative, text: fits ? text : `${'#'.repeat(room)}.${'#'.repeat(fraction)}`, fraction }
}

/** Of a double rounded half to even. */
function roman(value: number): NumberDigits {
  const number = roundHalfEven(value)
  const text = number >= 1 && number <= ROMAN_MAX ? toRoman(number) : '#'.repeat(ROMAN_LENGTH_MAX)
  return { isNegative: false, text, fraction: 0 }
}

type Divide = (dividend: bigint, divisor: bigint) => bigint

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const away = divideHalfAway(dividend, divisor)
  const isTie = ((dividend % divisor) * 2n) % divisor === 0n && dividend % divisor !== 0n
  return isTie && away % 2n !== 0n ? dividend / divisor : away
}

/** The unscaled value of so many places, also where the value has fewer. */
function scaleTo({ unscaled, scale }: Decimal, places: number, divide: Divide): bigint {
  return places >= scale ? unscaled * powerOfTen(places - scale) : divide(unscaled, powerOfTen(scale - places))
}

function roundTo(value: Decimal, places: number): Decimal {
  return { unscaled: scaleTo(value, places, divideHalfAway), scale: places }
}

/** A finite double of no sign, with so many places. */
function fixed(value: number, places: number): string {
  if (!Number.isFinite(value)) return String(value)
  // the language rounds half up: a half is left to the exact way
  const canBeHalf = Number.isInteger(value * 2 ** (places + 1)) && !Number.isInteger(value)
  if (value < FIXED_BELOW && !canBeHalf) return value.toFixed(places)
  return decimalToText({ unscaled: scaleTo(decimalOfDouble(value), places, divideHalfEven), scale: places })
}

/** One digit before the point: exact numbers, as PostgreSQL's, may round up to two. */
function scientific(value: Decimal, places: number, divide: Divide): string {
  const { unscaled, scale } = value
  const digits = unscaled === 0n ? scale + 1 : (unscaled < 0n ? -unscaled : unscaled).toString().length
  const exponent = digits - 1 - scale
  const mantissa = scaleTo({ unscaled, scale: scale + exponent }, places, divide)
  return signed(decimalToText({ unscaled: mantissa, scale: places }), exponent)
}

function signed(mantissa: string, exponent: number): string {
  const shown = Math.abs(exponent).toString().padStart(EXPONENT_DIGITS, '0')
  return `${mantissa.startsWith('-') ? '' : ' '}${mantissa}e${exponent < 0 ? '-' : '+'}${shown}`
}

function scientificDouble(value: number, { whole, fraction }: NumberTemplate): NumberDigits {
  if (!Number.isFinite(value)) {
    // a sign, then as many places as a number has with its exponent
    const text = ` ${'#'.repeat(whole)}.${'#'.repeat(fraction + EXPONENT_DIGITS + 2)}`
    return { isNegative: false, text, fraction }
  }
  const exact = decimalOfDouble(value)
  const text = scientific(exact, fraction, divideHalfEven)
  // 9.99 with one place is 1.0 with the next exponent
  const isCarried = /^.\d\d/.test(text)
  const [mantissa = '', exponent = ''] = text.trimStart().split('e')
  const carried = mantissa.replace(/10(\.?)/, '1$1').replace(/\.(\d*)$/, '.$1')
  return { isNegative: false, text: isCarried ? signed(carried, Number(exponent) + 1) : text, fraction }
}
