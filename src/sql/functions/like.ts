/** Owns LIKE and ILIKE, with or without ESCAPE. ILIKE compares lower-cased texts (full Unicode mappings, no locale). */
import { RollupdError } from '../../core/errors.ts'
import type { Registers } from '../../core/registers.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isOneOf, isText, textOf, wrongKind } from './argument.ts'
import { BACKSLASH, compileLike, type LikePattern, matchesLike, NO_ESCAPE } from './like-pattern.ts'

interface Form {
  readonly id: string
  readonly name: string
  readonly folds: boolean
  readonly wanted: boolean
}

const NO_CHARACTER = 'the escape is not one ASCII character'
const OPEN_ESCAPE = 'the pattern ends with the escape character'

function lowerCase(text: string): Buffer {
  return Buffer.from(text.toLowerCase(), 'utf8')
}

/** The pattern, or what is wrong with it. `escape` is the text after ESCAPE; undefined where there is none. */
function compile(form: Form, pattern: string, escape: string | undefined): LikePattern | string {
  const byte = escape === undefined ? BACKSLASH : escape === '' ? NO_ESCAPE : escape.charCodeAt(0)
  if (escape !== undefined && (escape.length > 1 || byte > 0x7f)) return NO_CHARACTER
  // folding moves an escape that is a letter too
  const folded = form.folds && escape !== undefined ? escape.toLowerCase().charCodeAt(0) : byte
  const bytes = form.folds ? lowerCase(pattern) : Buffer.from(pattern, 'utf8')
  return compileLike(bytes, 0, bytes.length, escape === '' ? NO_ESCAPE : folded) ?? OPEN_ESCAPE
}

function match(form: Form, r: Registers, out: number, a: number, pattern: LikePattern): void {
  if (!isText(r, a)) {
    wrongKind(r, out, form.name, a)
    return
  }
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const end = r.end[a] as number
  if (!form.folds || isFolded(bytes, start, end)) {
    r.setBoolean(out, matchesLike(pattern, bytes, start, end) === form.wanted)
    return
  }
  const folded = lowerCase(textOf(r, a))
  r.setBoolean(out, matchesLike(pattern, folded, 0, folded.length) === form.wanted)
}

/** Whether lower-casing changes nothing: ASCII without capitals. */
function isFolded(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number
    if (byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a)) return false
  }
  return true
}

function evaluate(form: Form, r: Registers, out: number, a: number, b: number, escape: string | undefined): void {
  if (!isText(r, b)) {
    wrongKind(r, out, form.name, b)
    return
  }
  const pattern = compile(form, textOf(r, b), escape)
  if (typeof pattern === 'string') r.setError(out, 'invalid_argument', `${form.name}: ${pattern}`)
  else match(form, r, out, a, pattern)
}

function literalText(argument: Expression | undefined): string | undefined {
  return argument?.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined
}

/** A literal pattern is compiled once. */
function specialize(form: Form, args: readonly Expression[]): Evaluate | undefined {
  const text = literalText(args[1])
  const escape = literalText(args[2])
  if (text === undefined || (args.length > 2 && escape === undefined)) return undefined
  const pattern = compile(form, text, escape)
  if (typeof pattern !== 'string') return (r, out, a) => match(form, r, out, a, pattern)
  throw new RollupdError('sql_invalid', `${form.name}: ${pattern}`, {
    position: args[1]?.position,
    hint: pattern === OPEN_ESCAPE ? 'Write the escape character twice to mean itself.' : undefined,
  })
}

function likeEntry(form: Form): FunctionEntry {
  const { id, name } = form
  const verb = form.wanted ? 'matches' : "doesn't match"
  return {
    id,
    name,
    form: 'operator',
    resolve: (args) => {
      const takes = args.length >= 2 && args.length <= 3 && args.every((type) => isOneOf(type, 'text', 'any'))
      return takes ? 'boolean' : undefined
    },
    signature: `text ${name} pattern text [escape text]`,
    strict: true,
    // a pattern that is no literal may end with its escape
    canFail: always,
    evaluate: (r, out, a, b, c) => {
      if (c < 0) evaluate(form, r, out, a, b, undefined)
      else if (isText(r, c)) evaluate(form, r, out, a, b, textOf(r, c))
      else wrongKind(r, out, name, c)
    },
    specialize: (args) => specialize(form, args),
    print: ([text, pattern, escape]) =>
      `${text} ${name.toUpperCase()} ${pattern}${escape === undefined ? '' : ` ESCAPE ${escape}`}`,
    doc: {
      summary: `Whether the text ${verb} the pattern: % is any text, _ one character, \\ makes the next one literal.`,
      example: `path ${name.toUpperCase()} '/shop/%'`,
    },
  }
}

const FORMS: readonly Form[] = [
  { id: 'like', name: 'like', folds: false, wanted: true },
  { id: 'not_like', name: 'not like', folds: false, wanted: false },
  { id: 'ilike', name: 'ilike', folds: true, wanted: true },
  { id: 'not_ilike', name: 'not ilike', folds: true, wanted: false },
]

export const LIKE_FUNCTIONS: readonly FunctionEntry[] = FORMS.map(likeEntry)
