/** Owns to_number: the number that a text holds by a template. */
import type { NumberTemplate } from '../../core/number-template.ts'
import type { Registers } from '../../core/registers.ts'
import { readNumberText } from '../../core/number-template-read.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isText, quote, wrongKind } from './argument.ts'
import { setExact } from './number-arithmetic.ts'
import { compileForNumbers } from './number-to-char.ts'
import {
  type Apply,
  type Compiled,
  evaluateTemplate,
  resolveTemplate,
  specializeTemplate,
} from './template-argument.ts'

function compile(text: string): Compiled<NumberTemplate> {
  const compiled = compileForNumbers(text)
  const isScientific = 'template' in compiled && compiled.template.isScientific
  return isScientific ? { refusal: 'EEEE is for to_char alone: cast the text to numeric' } : compiled
}

const apply: Apply<NumberTemplate> = (r, out, template, a) => {
  if (!isText(r, a)) return wrongKind(r, out, 'to_number', a)
  const value = readNumberText(template, r.bytesOf(a))
  if (typeof value === 'object') setExact(r, out, value)
  else {
    const what = value === 'invalid' ? 'is no number by the template' : 'has more digits than the template'
    r.setError(out, 'invalid_argument', `to_number: ${quote(r, a)} ${what}`)
  }
}

const templates = {
  name: 'to_number',
  compile,
  apply,
  whenEmpty: (r: Registers, out: number): void => r.setNull(out),
}

export const TO_NUMBER: FunctionEntry = {
  id: 'to_number',
  name: 'to_number',
  form: 'function',
  resolve: resolveTemplate('numeric'),
  signature: 'to_number(text, template text)',
  strict: true,
  canFail: always,
  evaluate: evaluateTemplate(templates),
  specialize: ([, template]) => specializeTemplate(templates, template),
  doc: {
    summary:
      'The number that the text holds by a template of to_char, an exact one; what stands where the template has other characters is skipped.',
    example: "to_number(price, '9,999.99')",
  },
}
