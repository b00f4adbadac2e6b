/** Owns to_char of points in time: a written template is read once. */
import { compileTimeTemplate, type TimeTemplate } from '../../core/time-template.ts'
import type { Registers } from '../../core/registers.ts'
import { isTimeType } from '../../core/scalar-type.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, setString } from './argument.ts'
import { type Compiled, evaluateTemplate, specializeTemplate } from './template-argument.ts'
import { isTime } from './time-argument.ts'

const templates = {
  name: 'to_char',
  compile: (text: string): Compiled<TimeTemplate> => ({ template: compileTimeTemplate(text) }),
  apply: (r: Registers, out: number, template: TimeTemplate, a: number): void => {
    if (isTime(r, out, 'to_char', a)) setString(r, out, template(r, a))
  },
  whenEmpty: (r: Registers, out: number): void => r.setNull(out),
}

export const TIME_TO_CHAR: FunctionEntry = {
  id: 'to_char',
  name: 'to_char',
  form: 'function',
  resolve: ([time, template, further]) =>
    isTimeType(time) && template === 'text' && further === undefined ? 'text' : undefined,
  signature: 'to_char(timestamptz | timestamp | date, template text)',
  strict: true,
  canFail: always,
  evaluate: evaluateTemplate(templates),
  specialize: ([, template]) => specializeTemplate(templates, template),
  doc: {
    summary:
      'The time as text by a template: YYYY, YY, MM, Mon, Month, DD, DDD, D, Dy, Day, HH24, HH12, MI, SS, MS, US, AM, Q, WW, IW, IYYY, ID, J, CC, RM, BC, TZ, TZH, TZM, OF; FM before one leaves filling out, TH behind one makes it an ordinal, other texts in double quotes. An instant is in UTC.',
    example: "to_char(ts::timestamptz, 'YYYY-MM-DD HH24:MI')",
  },
}
