/** Owns regular expressions in SQL: ~, ~*, !~, !~*, regexp_like, regexp_count, regexp_substr and regexp_replace. */
import { RollupdError } from '../../core/errors.ts'
import type { Registers } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, setString, textOf } from './argument.ts'
import { setJsonText } from './json-value.ts'
import { compileRegexp, expandReplacement, RegexpCache, type RegexpPattern } from './regexp-pattern.ts'
import { areTexts, isTextType, TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

/** Writes the result for a compiled pattern; `more` is the argument behind the pattern, -1 where there is none. */
type Apply = (r: Registers, out: number, a: number, pattern: RegexpPattern, more: number) => void

interface Form {
  readonly id: string
  readonly name: string
  readonly form: 'function' | 'operator'
  /** For messages. */
  readonly title: string
  readonly type: ScalarType
  /** Of operators. */
  readonly flags: string
  /** Texts between the pattern and the flags. */
  readonly between: number
  readonly apply: Apply
  readonly signature: string
  readonly summary: string
  readonly example: string
}

const test =
  (wanted: boolean): Apply =>
  (r, out, a, { search }) =>
    r.setBoolean(out, search.test(textOf(r, a)) === wanted)

const count: Apply = (r, out, a, { search }) => {
  let matches = 0
  for (const _ of search.matchAll(textOf(r, a))) matches++
  r.setInteger(out, matches)
}

const first: Apply = (r, out, a, { search }) => {
  const match = search.exec(textOf(r, a))
  if (match === null) r.setNull(out)
  else setString(r, out, match[0] ?? '')
}

/** The groups of the first match, or all of it where there are none. */
const groups: Apply = (r, out, a, { search }) => {
  const match = search.exec(textOf(r, a))
  if (match === null) r.setNull(out)
  else setJsonText(r, out, JSON.stringify(match.length > 1 ? match.slice(1).map((group) => group ?? null) : [match[0]]))
}

/** PostgreSQL's: an empty match parts nothing at the ends, and nothing directly behind a match. */
const split: Apply = (r, out, a, { search }) => {
  const text = textOf(r, a)
  const parts: string[] = []
  let at = 0
  let last = 0
  for (const match of search.matchAll(text)) {
    const { index = 0 } = match
    const end = index + (match[0]?.length ?? 0)
    if (index < text.length && end > last) {
      parts.push(text.slice(at, index))
      at = end
    }
    last = end
  }
  parts.push(text.slice(at))
  setJsonText(r, out, JSON.stringify(parts))
}

const replace: Apply = (r, out, a, { search, global }, more) => {
  const text = textOf(r, a)
  const replacement = textOf(r, more)
  let result = ''
  let at = 0
  for (const match of search.matchAll(text)) {
    const { index = 0 } = match
    result += text.slice(at, index) + expandReplacement(replacement, match)
    at = index + (match[0]?.length ?? 0)
    if (!global || result.length > TEXT_BYTES_MAX) break
  }
  result += text.slice(at)
  if (result.length > TEXT_BYTES_MAX || Buffer.byteLength(result) > TEXT_BYTES_MAX) tooLong(r, out)
  else setString(r, out, result)
}

/** The text of a literal argument; undefined where it is none. */
function literalText(argument: Expression | undefined): string | undefined {
  return argument?.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined
}

/** A literal pattern is compiled once. Errors: sql_invalid for one that the engine doesn't take. */
function specialize(form: Form, args: readonly Expression[]): Evaluate | undefined {
  const text = literalText(args[1])
  const flagsAt = 2 + form.between
  const flags = args.length > flagsAt ? literalText(args[flagsAt]) : form.flags
  if (text === undefined || flags === undefined) return undefined
  const pattern = compileRegexp(text, flags)
  if ('problem' in pattern) {
    throw new RollupdError('sql_invalid', `${form.title}: ${pattern.problem}`, {
      position: args[1]?.position,
      hint: pattern.hint,
    })
  }
  return (r, out, a, b, c) => {
    if (areTexts(r, out, form.title, a, b, c)) form.apply(r, out, a, pattern, c)
  }
}

/** The pattern and the flags must be declared as texts: a pattern from anywhere would rarely be meant as one. */
function resolve({ type, between, form }: Form, [text, pattern, ...further]: readonly ScalarType[]) {
  const others = further.slice(0, between)
  const flags = further.slice(between)
  const takes = isTextType(text) && pattern === 'text' && others.length === between && others.every(isTextType)
  const takesFlags = flags.length === 0 || (form === 'function' && flags.length === 1 && flags[0] === 'text')
  return takes && takesFlags ? type : undefined
}

function regexpEntry(form: Form): FunctionEntry {
  const cache = new RegexpCache()
  const evaluate: Evaluate = (r, out, a, b, c, d) => {
    if (!areTexts(r, out, form.title, a, b, c) || (d >= 0 && !areTexts(r, out, form.title, d))) return
    const flagsAt = form.between === 0 ? c : d
    const pattern = cache.compile(textOf(r, b), flagsAt < 0 ? form.flags : textOf(r, flagsAt))
    if ('problem' in pattern) r.setError(out, 'invalid_argument', `${form.title}: ${pattern.problem}`)
    else form.apply(r, out, a, pattern, c)
  }
  return {
    id: form.id,
    name: form.name,
    form: form.form,
    resolve: (args) => resolve(form, args),
    signature: form.signature,
    strict: true,
    canFail: always,
    evaluate,
    specialize: (args) => specialize(form, args),
    doc: { summary: form.summary, example: form.example },
  }
}

function operatorForm(id: string, name: string, flags: string, wanted: boolean): Form {
  const verb = wanted ? 'matches' : "doesn't match"
  return {
    ...{ id, name, form: 'operator', title: `the operator ${name}`, type: 'boolean', flags, between: 0 },
    apply: test(wanted),
    signature: `text ${name} pattern text`,
    summary: `Whether some part of the text ${verb} the regular expression${flags === '' ? '' : ', in either case'}.`,
    example: `path ${name} '^/shop/[0-9]+'`,
  }
}

const FUNCTION = { form: 'function', flags: '' } as const

const FORMS: readonly Form[] = [
  operatorForm('regexp_matching', '~', '', true),
  operatorForm('regexp_matching_any_case', '~*', 'i', true),
  operatorForm('regexp_not_matching', '!~', '', false),
  operatorForm('regexp_not_matching_any_case', '!~*', 'i', false),
  {
    ...{ ...FUNCTION, id: 'regexp_like', name: 'regexp_like', title: 'regexp_like', type: 'boolean', between: 0 },
    apply: test(true),
    signature: 'regexp_like(text, pattern text [, flags text])',
    summary: 'Whether some part of the text matches the regular expression; the flag i: in either case.',
    example: "regexp_like(path, '^/shop/', 'i')",
  },
  {
    ...{ ...FUNCTION, id: 'regexp_count', name: 'regexp_count', title: 'regexp_count', type: 'bigint', between: 0 },
    apply: count,
    signature: 'regexp_count(text, pattern text)',
    summary: 'How many parts of the text match, from left to right.',
    example: "regexp_count(path, '/')",
  },
  {
    ...{ ...FUNCTION, id: 'regexp_substr', name: 'regexp_substr', title: 'regexp_substr', type: 'text', between: 0 },
    apply: first,
    signature: 'regexp_substr(text, pattern text)',
    summary: 'The first part of the text that matches; null where none does.',
    example: "regexp_substr(path, '[0-9]+')",
  },
  {
    ...{ ...FUNCTION, id: 'regexp_replace', name: 'regexp_replace', title: 'regexp_replace', type: 'text', between: 1 },
    apply: replace,
    signature: 'regexp_replace(text, pattern text, replacement text [, flags text])',
    summary:
      'The text with the first match replaced, with the flag g every one; \\1 is the first group, \\& the match.',
    example: "regexp_replace(path, '[0-9]+', 'N', 'g')",
  },
  {
    ...{ ...FUNCTION, id: 'regexp_match', name: 'regexp_match', title: 'regexp_match', type: 'jsonb', between: 0 },
    apply: groups,
    signature: 'regexp_match(text, pattern text [, flags text])',
    summary:
      'What the groups of the first match hold, as an array, or all of the match where the pattern has no groups; null where none matches. `[1]` behind it is the first group as text.',
    example: "regexp_match(path, '^/([a-z]+)/([0-9]+)')",
  },
  {
    ...{ ...FUNCTION, id: 'regexp_split_to_array', name: 'regexp_split_to_array', title: 'regexp_split_to_array' },
    ...{ type: 'jsonb', between: 0 },
    apply: split,
    signature: 'regexp_split_to_array(text, pattern text [, flags text])',
    summary: 'The parts of the text between matches, as an array.',
    example: "regexp_split_to_array(path, '/+')",
  },
]

/** PostgreSQL's further arguments of these are a place to begin at, not flags. */
const WITHOUT_FLAGS: ReadonlySet<string> = new Set(['regexp_count', 'regexp_substr'])

export const REGEXP_FUNCTIONS: readonly FunctionEntry[] = FORMS.map(regexpEntry).map((entry) =>
  WITHOUT_FLAGS.has(entry.id)
    ? { ...entry, resolve: (args) => (args.length === 2 ? entry.resolve(args) : undefined) }
    : entry,
)
