/** Owns to_char of points in time: a written template is read once. */
import { compileTimeTemplate, type TimeTemplate } from '../../core/time-template.ts'
import type { Registers } from '../../core/registers.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isOneOf, isText, setString, textOf, wrongKind } from './argument.ts'
import { isTime, isTimeOrAny } from './time-argument.ts'

function show(r: Registers, out: number, template: TimeTemplate, a: number): void {
  if (isTime(r, out, 'to_char', a)) setString(r, out, template(r, a))
}

export const TIME_TO_CHAR: FunctionEntry = {
  id: 'to_char',
  name: 'to_char',
  form: 'function',
  resolve: ([time, template, further]) =>
    isTimeOrAny(time) && isOneOf(template, 'text', 'any') && further === undefined ? 'text' : undefined,
  signature: 'to_char(timestamptz | timestamp | date, template text)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b) => {
    if (!isText(r, b)) wrongKind(r, out, 'to_char', b)
    else if (r.num[b] === r.end[b]) r.setNull(out)
    else show(r, out, compileTimeTemplate(textOf(r, b)), a)
  },
  specialize: ([, template]) => {
    const text = template?.kind === 'literal' && typeof template.value === 'string' ? template.value : ''
    if (text === '') return undefined
    const compiled = compileTimeTemplate(text)
    return (r, out, a) => show(r, out, compiled, a)
  },
  doc: {
    summary:
      'The time as text by a template: YYYY, YY, MM, Mon, Month, DD, DDD, D, Dy, Day, HH24, HH12, MI, SS, MS, US, AM, Q, WW, IW, IYYY, ID, J, CC, RM, BC; FM before one leaves filling out, TH behind one makes it an ordinal, other texts in double quotes. An instant is in UTC.',
    example: "to_char(ts::timestamptz, 'YYYY-MM-DD HH24:MI')",
  },
}
