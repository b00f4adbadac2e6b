/** Owns what functions with a template share: a written template is read once, one of a record each time, and how what is wrong with it is told. */
import { RollupdError } from '../../core/errors.ts'
import type { Registers } from '../../core/registers.ts'
import { TEMPLATE_LENGTH_MAX } from '../../core/template.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { isText, textOf, wrongKind } from './argument.ts'
import { isTextType } from './text-argument.ts'

/** A template's compiled form, or what is wrong with it. */
export type Compiled<T> = { readonly template: T } | { readonly refusal: string }

/** Does the work of one call: reads register `a`, writes `out`. */
export type Apply<T> = (r: Registers, out: number, template: T, a: number) => void

interface Templates<T> {
  readonly name: string
  readonly compile: (text: string) => Compiled<T>
  readonly apply: Apply<T>
  /** Of an empty template. */
  readonly whenEmpty?: (r: Registers, out: number) => void
}

function compileText<T>({ compile }: Templates<T>, text: string): Compiled<T> {
  if (text.length > TEMPLATE_LENGTH_MAX) return { refusal: `a template has at most ${TEMPLATE_LENGTH_MAX} characters` }
  return compile(text)
}

/** For `evaluate`: the template is register `b`. */
export function evaluateTemplate<T>(templates: Templates<T>): Evaluate {
  const { name, apply, whenEmpty } = templates
  return (r, out, a, b) => {
    if (!isText(r, b)) return wrongKind(r, out, name, b)
    if (whenEmpty !== undefined && r.num[b] === r.end[b]) return whenEmpty(r, out)
    const compiled = compileText(templates, textOf(r, b))
    if ('template' in compiled) apply(r, out, compiled.template, a)
    else r.setError(out, 'invalid_argument', `${name}: ${compiled.refusal}`)
  }
}

/** For `specialize`. Errors: RollupdError for a written template that can't be one. */
export function specializeTemplate<T>(templates: Templates<T>, template: Expression | undefined): Evaluate | undefined {
  const { name, apply, whenEmpty } = templates
  if (template?.kind !== 'literal' || typeof template.value !== 'string') return undefined
  if (template.value === '' && whenEmpty !== undefined) return whenEmpty
  const compiled = compileText(templates, template.value)
  if ('refusal' in compiled) {
    throw new RollupdError('sql_invalid', `${name}: ${compiled.refusal}`, {
      position: template.position,
      hint: 'The reference of functions has the patterns; other texts stand in double quotes.',
    })
  }
  return (r, out, a) => apply(r, out, compiled.template, a)
}

/** For `resolve`: a text and a template. A template is declared a text: a record rarely brings one. */
export function resolveTemplate(type: ScalarType): FunctionEntry['resolve'] {
  return ([text, template, further]) =>
    isTextType(text) && template === 'text' && further === undefined ? type : undefined
}
