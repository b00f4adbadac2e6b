/** Owns date_trunc of intervals. */
import { INTERVAL_UNITS, truncateIntervalTo } from '../../core/interval-field.ts'
import { unitName } from '../../core/time-unit.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isOneOf, isText, quote, textOf, wrongKind } from './argument.ts'
import { literalUnit, unknownWord } from './time-argument.ts'

const DATE_TRUNC_INTERVAL: FunctionEntry = {
  id: 'date_trunc_interval',
  name: 'date_trunc',
  form: 'function',
  resolve: ([unit, interval, further]) =>
    isOneOf(unit, 'text', 'any') && interval === 'interval' && further === undefined ? 'interval' : undefined,
  signature: 'date_trunc(unit text, interval)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b) => {
    if (!isText(r, a)) {
      wrongKind(r, out, 'date_trunc', a)
      return
    }
    const cut = truncateIntervalTo(unitName(textOf(r, a)))
    if (cut === undefined) r.setError(out, 'invalid_argument', `date_trunc knows no unit ${quote(r, a)} of interval`)
    else cut(r, out, b)
  },
  specialize: ([unit]) => {
    const word = literalUnit(unit)
    if (word === undefined) return undefined
    const cut = truncateIntervalTo(word)
    if (cut === undefined) throw unknownWord(unit, 'unit of interval', INTERVAL_UNITS)
    return (r, out, _a, b) => void cut(r, out, b)
  },
  doc: {
    summary: 'The interval without what is smaller than the unit, towards zero.',
    example: "date_trunc('hour', INTERVAL '1 day 02:03:04')",
  },
}

export const INTERVAL_CUT_FUNCTIONS: readonly FunctionEntry[] = [DATE_TRUNC_INTERVAL]
