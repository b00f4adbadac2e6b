/** Owns the naive evaluator's texts of numbers by a template: the template split by one regular expression, its marks filled in from the right. */
import { roundHalfAway } from './naive-numbers.ts'
import { decimalText, Decimal, normalize, RowError, toDecimal, type NumberValue } from './value.ts'

export const refuse = (): RowError => new RowError('invalid_argument')

interface Mask {
  readonly isFree: boolean
  readonly before: string
  readonly whole: string
  readonly fraction: string
  readonly hasPoint: boolean
  readonly behind: string
}

export function maskOf(template: string): Mask {
  const [, free, before = '', whole = '', point, fraction = '', behind = ''] =
    /^(FM)?(SG|S|L|"n=")?([09,GV]*)([.D])?([09]*)(\D*)$/.exec(template) ?? []
  return { isFree: free !== undefined, before, whole, fraction, hasPoint: point !== undefined, behind }
}

type Digits = readonly [isNegative: boolean, text: string, places: number]

/** Rounded to the places of the mask, as text without its sign; doubles keep 15 digits. */
function digitsOf(value: NumberValue, wanted: number): Digits {
  if (typeof value !== 'number') {
    const { unscaled, scale } = toDecimal(value)
    const rounded = roundHalfAway(unscaled * 10n ** BigInt(wanted), 10n ** BigInt(scale))
    return [rounded < 0n, decimalText(new Decimal(rounded < 0n ? -rounded : rounded, wanted)), wanted]
  }
  const size = Number.isFinite(value) ? evenText(value, 0).length : String(Math.abs(value)).length
  const places = Math.max(Math.min(wanted, 15 - size), 0)
  return [value < 0, Number.isFinite(value) ? evenText(value, places) : String(Math.abs(value)), places]
}

/** Half to even, without the sign. */
function evenText(value: number, places: number): string {
  const { unscaled, scale } = toDecimal(Math.abs(value))
  const [over, under] = [unscaled * 10n ** BigInt(places), 10n ** BigInt(scale)]
  const [quotient, rest] = [over / under, over % under]
  const isUp = rest * 2n > under || (rest * 2n === under && quotient % 2n === 1n)
  return decimalText(new Decimal(isUp ? quotient + 1n : quotient, places))
}

export function writeNumber(value: NumberValue, template: string): string {
  if (template === 'FMRN') return roman(value)
  if (template === '9.99EEEE') return scientific(value)
  const mask = maskOf(template)
  const shift = mask.whole.split('V')[1]?.length ?? 0
  const shifted = typeof value === 'number' ? value * 10 ** shift : times(value, 10n ** BigInt(shift))
  return fill(mask, digitsOf(shifted, mask.fraction.length))
}

function times(value: bigint | Decimal, factor: bigint): Decimal {
  const { unscaled, scale } = toDecimal(value)
  return new Decimal(unscaled * factor, scale)
}

function fill(mask: Mask, [isNegative, text, places]: Digits): string {
  const { isFree, hasPoint } = mask
  const whole = mask.whole.replace('V', '').replaceAll('G', ',')
  const room = whole.replaceAll(',', '').length
  const [left = '', right = ''] = text.split('.')
  const isFull = left.length > room
  const isWord = /[a-z]/i.test(text) && !isFull
  const showsZero = whole.includes('0') || mask.fraction === '' || left !== '0'
  const filled = fromRight(whole, isFull ? '#'.repeat(room) : showsZero ? left : '')
  // NaN has no places behind the point, and what would follow them isn't there either
  if (isWord && hasPoint)
    return withSign({ ...mask, behind: mask.behind === 'S' ? 'none' : '' }, isNegative, filled, text)
  let fraction = isFull ? '#'.repeat(places) : right
  if (isFree && hasPoint && !isFull) {
    const kept = Math.max(fraction.replace(/0+$/, '').length, mask.fraction.lastIndexOf('0') + 1)
    fraction = fraction.slice(0, kept)
  }
  return withSign(mask, isNegative, filled + (hasPoint ? `.${fraction}` : ''), isFull ? '' : text)
}

/** Marks become digits from the right; the first 0 and all that follow are filled. */
function fromRight(whole: string, digits: string): string {
  let [rest, result] = [digits, '']
  const firstZero = whole.indexOf('0')
  for (let at = whole.length - 1; at >= 0; at--) {
    const isFilled = firstZero >= 0 && at >= firstZero
    if (whole[at] === ',') result = (rest !== '' || isFilled ? ',' : ' ') + result
    else if (rest === '') result = (isFilled ? '0' : ' ') + result
    else {
      result = (rest.at(-1) ?? '') + result
      rest = rest.slice(0, -1)
    }
  }
  return result
}

/** The sign stands where the spaces end, or at its own place. */
function withSign({ isFree, before, behind }: Mask, isNegative: boolean, filled: string, text: string): string {
  const number = filled.trimStart()
  const margin = isFree ? '' : filled.slice(0, filled.length - number.length)
  const plain = isNegative ? '-' : isFree ? '' : ' '
  const always = isNegative ? '-' : '+'
  if (before === 'S') return `${margin}${always}${number}`
  if (before === 'SG') return `${always}${margin}${number}`
  if (behind === 'S') return `${margin}${number}${always}`
  if (behind === 'none') return margin + number
  if (behind === 'MI') return `${margin}${number}${plain}`
  if (behind === 'PR') return isNegative ? `${margin}<${number}>` : `${margin} ${number} `
  if (behind === 'th') return `${plain}${number}${isNegative || text === '' ? '' : ordinal(text)}`
  return `${{ L: ' ', '"n="': 'n=' }[before] ?? ''}${margin}${plain}${number}`
}

function ordinal(number: string): string {
  if (!/\d$/.test(number)) throw refuse()
  if (/1\d$/.test(number)) return 'th'
  return ['th', 'st', 'nd', 'rd'][Number(number.at(-1))] ?? 'th'
}

const TENS = [
  ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'],
  ['', 'X', 'XX', 'XXX', 'XL', 'L', 'LX', 'LXX', 'LXXX', 'XC'],
  ['', 'C', 'CC', 'CCC', 'CD', 'D', 'DC', 'DCC', 'DCCC', 'CM'],
  ['', 'M', 'MM', 'MMM'],
]
/** A digit has a numeral at each place. */
export const ROMANS = Array.from({ length: 4_000 }, (_, number) =>
  Array.from(String(number), (digit, at) => TENS[String(number).length - at - 1]?.[Number(digit)] ?? '').join(''),
)

function roman(value: NumberValue): string {
  const [isNegative, text] = typeof value === 'number' && !Number.isFinite(value) ? [true, ''] : digitsOf(value, 0)
  const number = Number(text)
  return !isNegative && number >= 1 && number < ROMANS.length ? (ROMANS[number] ?? '') : '#'.repeat(15)
}

/** Two places; an exact number may round up to two digits before the point. */
function scientific(value: NumberValue): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return ' #.######'
  const { unscaled, scale } = normalize(toDecimal(value))
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString()
  let exponent = unscaled === 0n ? 0 : digits.length - 1 - scale
  const [kept, rest] = [BigInt(digits.slice(0, 3).padEnd(3, '0')), digits.slice(3)]
  const half = `5${'0'.repeat(Math.max(rest.length - 1, 0))}`
  const isTie = rest === half
  const isUp = typeof value === 'number' && isTie ? kept % 2n === 1n : rest >= half && rest !== ''
  let mantissa = isUp ? kept + 1n : kept
  if (typeof value === 'number' && mantissa === 1_000n) [mantissa, exponent] = [100n, exponent + 1]
  const sign = unscaled < 0n ? '-' : ' '
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  return `${sign}${decimalText(new Decimal(mantissa, 2))}e${power}`
}
