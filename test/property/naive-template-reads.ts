/** Owns the naive evaluator's reading of texts by templates: numbers mark by mark, times field by field, both from the left. */
import { maskOf, refuse, ROMANS } from './naive-number-template.ts'
import { Decimal, normalize, toDays } from './value.ts'

/** From the left: what is there for each mark; other characters are skipped. */
export function readNumber(text: string, template: string): bigint | Decimal {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  if (template === 'RN') return readRoman(bytes)
  const { before, whole, fraction, hasPoint, behind } = maskOf(template)
  const marks = [
    ...(before === 'L' ? 'L' : ''),
    ...whole,
    ...(hasPoint ? '.' : ''),
    ...fraction,
    ...(behind === 'MI' || behind === 'th' ? [behind] : []),
  ]
  const hasSign = before === 'S'
  let [at, sign, digits] = [0, '', '']
  const isDigit = (character: string | undefined): boolean => character !== undefined && /[0-9]/.test(character)
  const skip = (count: number): void => {
    for (let left = count; left > 0 && at < bytes.length && !/[0-9.,+-]/.test(bytes[at] ?? ''); left--)
      at += (bytes[at] ?? '') < '\u00c0' ? 1 : (bytes[at] ?? '') < '\u00e0' ? 2 : (bytes[at] ?? '') < '\u00f0' ? 3 : 4
  }
  for (const mark of marks) {
    if (at >= bytes.length) break
    if (mark === 'L') skip(1)
    else if (mark === 'th') skip(2)
    else if (mark === 'MI') {
      if (bytes[at] === '-') sign = '-'
      else skip(1)
    } else if (mark === ',') at += bytes[at] === ',' ? 1 : 0
    else if (mark !== 'V') {
      if (bytes[at] === ' ') at++
      if (at >= bytes.length) break
      if (sign === '' && mark !== '.' && digits.replace('.', '') === '') {
        const isMinus = bytes[at] === '-' || (behind === 'PR' && bytes[at] === '<')
        if (isMinus || bytes[at] === '+') {
          sign = isMinus ? '-' : '+'
          at++
        }
      }
      if (at >= bytes.length) break
      let isRead = true
      if (isDigit(bytes[at])) {
        if (digits.includes('.') && (digits.split('.')[1] ?? '').length === fraction.length) {
          at++
          continue
        }
        digits += bytes[at]
      } else if (hasPoint && !digits.includes('.') && bytes[at] === '.') digits += '.'
      else isRead = false
      const next = bytes[at + 1]
      if (sign === '' && digits.replace('.', '') !== '') {
        if (hasSign && isRead && (next === '-' || next === '+')) {
          sign = next
          at++
        } else if (!isRead && behind === 'MI' && /[+-]/.test(bytes[at] ?? '')) sign = bytes[at] ?? ''
      }
      at++
    }
  }
  return valueOf(sign, digits, whole)
}

function valueOf(sign: string, digits: string, whole: string): bigint | Decimal {
  const [left = '', right = ''] = digits.split('.')
  if (left + right === '') throw refuse()
  const room = whole.replace(/[V,]/g, '').length
  if (left.replace(/^0+/, '').length > room) throw refuse()
  const shift = whole.split('V')[1]?.length ?? 0
  const decimal = normalize(new Decimal(BigInt(left + right) * (sign === '-' ? -1n : 1n), right.length + shift))
  return decimal.scale === 0 ? decimal.unscaled : decimal
}

function readRoman(bytes: string): bigint {
  const found = /^[ \t\n\v\f\r]*([ivxlcdm]{1,15})/i.exec(bytes)?.[1]?.toUpperCase()
  const number = found === undefined ? 0 : ROMANS.indexOf(found)
  if (number < 1) throw refuse()
  return BigInt(number)
}

const TIME_FIELDS = /YYYY|YY|MM|DDD|DD|Mon|HH24|MI|SS|[^A-Z]/g
export const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

interface TimeParts {
  readonly day: number
  readonly seconds: number
}

/** From the left: numbers as long as they are unless another number follows at once. */
export function readTime(text: string, template: string): TimeParts {
  const fields = new Map<string, number>()
  const marks = template.match(TIME_FIELDS) ?? []
  let rest = text
  const skipSpaces = (): void => {
    rest = rest.replace(/^[ \t\n\v\f\r]+/, '')
  }
  for (const [index, mark] of marks.entries()) {
    if (rest === '') break
    if (mark.length === 1) {
      if (index === 0) skipSpaces()
      rest = rest.replace(/^[ \t\n\v\f\r!-/:-@[-`{-~]/, '')
      continue
    }
    skipSpaces()
    if (mark === 'Mon') {
      const month = MONTHS.indexOf(rest.slice(0, 3).replaceAll(/[A-Z]/g, (one) => one.toLowerCase()))
      if (month < 0) throw refuse()
      fields.set('MM', month + 1)
      rest = rest.slice(3)
    } else {
      const width = mark === 'HH24' ? 2 : mark.length
      const isTight = (marks[index + 1]?.length ?? 0) > 1
      const source = isTight ? rest.slice(0, width) : rest
      const [found = ''] = /^[+-]?[0-9]+/.exec(source) ?? []
      if (found === '' || (isTight && found.length < width)) throw refuse()
      const number = Number(found)
      if (number > 2 ** 31 - 1 || number < -(2 ** 31)) throw refuse()
      const year = mark === 'YY' && found.length < 4 ? nearYear(number) : number
      fields.set(mark === 'YY' ? 'YYYY' : mark, year)
      rest = rest.slice(found.length)
    }
    skipSpaces()
  }
  return partsOf(fields)
}

function nearYear(year: number): number {
  if (year < 70) return year + 2_000
  if (year < 100) return year + 1_900
  if (year < 520) return year + 2_000
  return year < 1_000 ? year + 1_000 : year
}

/** A field of 0 is none; a day is checked against its month where there is a year. */
function partsOf(fields: ReadonlyMap<string, number>): TimeParts {
  const given = (name: string): number | undefined => fields.get(name) || undefined
  const written = given('YYYY')
  const year = written === undefined ? 0 : written < 0 ? written + 1 : written
  const [hour, minute, second] = ['HH24', 'MI', 'SS'].map((name) => fields.get(name) ?? 0) as [number, number, number]
  const dayOfYear = given('DDD')
  const checks = [
    [hour, 0, 23],
    [minute, 0, 59],
    [second, 0, 59],
    [given('MM') ?? 1, 1, 12],
    [given('DD') ?? 1, 1, 31],
  ] as const
  if (dayOfYear !== undefined) {
    if (year === 0) throw refuse()
    const days = toDays(year + 1, 1, 1) - toDays(year, 1, 1)
    if (dayOfYear < 1 || dayOfYear > days) throw refuse()
  }
  if (checks.some(([value, from, to]) => value < from || value > to)) throw refuse()
  const [month, day] = [given('MM') ?? 1, given('DD') ?? 1]
  const first = toDays(year, month, 1)
  const all = [written, given('MM'), given('DD')].every((one) => one !== undefined)
  if (all && first + day > toDays(year, month + 1, 1)) throw refuse()
  return { day: first + day - 1 + (dayOfYear ?? 1) - 1, seconds: (hour * 60 + minute) * 60 + second }
}
