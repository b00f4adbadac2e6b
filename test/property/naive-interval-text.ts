/** Owns the texts of intervals that the naive evaluator reads. */
import { RowError, Span } from './value.ts'

const MINUTE = 60_000_000n
const DAY = 24n * 60n * MINUTE

/** A number alone is seconds; of other texts the few that are generated, and what joining numbers makes. */
const SPAN_TEXTS: Readonly<Record<string, readonly [months: number, days: number, micros: bigint]>> = {
  '1 day': [0, 1, 0n],
  '-1 days': [0, -1, 0n],
  '24:00:00': [0, 0, DAY],
  '-00:00:01.5': [0, 0, -1_500_000n],
  '1 mon': [1, 0, 0n],
  '30 days': [0, 30, 0n],
  '1 year 2 mons -3 days +04:05:06.7': [14, -3, 14_706_700_000n],
  '1.5 months': [1, 15, 0n],
  PT36H: [0, 0, 36n * 60n * MINUTE],
  '3000000 hours': [0, 0, 3_000_000n * 60n * MINUTE],
  '-178000000 years': [-2_136_000_000, 0, 0n],
}
export const SPANS: readonly string[] = Object.keys(SPAN_TEXTS)

/** Years and months, which joined numbers may be: `-2-2`. */
const YEARS_MONTHS = /^\s*([+-]?)(\d+)-(\d+)\s*$/

/** No interval is written so long. */
const TEXT_LENGTH_MAX = 200

export function readSpanText(text: string): Span {
  if (text.length > TEXT_LENGTH_MAX) throw new RowError('invalid_cast')
  const known = Object.hasOwn(SPAN_TEXTS, text) ? SPAN_TEXTS[text] : undefined
  if (known !== undefined) return new Span(...known)
  const [, signOfYears, years = '', months = ''] = YEARS_MONTHS.exec(text) ?? []
  if (signOfYears !== undefined) {
    const total = BigInt(years) * 12n + BigInt(months)
    if (BigInt(months) >= 12n || total >= 2n ** 31n) throw new RowError('invalid_cast')
    return new Span(Number(signOfYears === '-' ? -total : total), 0, 0n)
  }
  const [, sign, whole = '', fraction = ''] = /^\s*([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?\s*$/.exec(text) ?? []
  if (sign === undefined) throw new RowError('invalid_cast')
  const rest = Number(`0.${fraction}`) * 1e6
  const micros = BigInt(whole === '' ? '0' : whole) * 1_000_000n + BigInt(Math.ceil(rest - 0.5))
  if (micros >= 2n ** 63n) throw new RowError('invalid_cast')
  return new Span(0, 0, sign === '-' ? -micros : micros)
}
