/**
 * Owns the choice of a function, operator or cast of the table for given arguments, and with it the types of open literals
 * among them: a quoted text takes the other side's declared type, a number with a point is numeric beside a declared numeric.
 */
import { RollupdError } from '../core/errors.ts'
import { isTimeType, NUMBER_TYPES, type ScalarType } from '../core/scalar-type.ts'
import type { Call, Expression } from './expression.ts'
import { CALL_ARGUMENTS_MAX, type FunctionEntry } from './function-entry.ts'
import { findFunctions } from './function-table.ts'
import { giveType, isOpen, isOpenNumber, literal, settle, toDouble, toNumeric } from './literal.ts'

type Form = 'function' | 'operator' | 'cast' | 'try_cast'

export interface CallRequest {
  readonly form: Form
  /** Lower case. */
  readonly name: string
  readonly args: readonly Expression[]
  /** Where the call begins. */
  readonly position: number
  /** What the message points at: the operator; default: position. */
  readonly errorPosition?: number
}

/** Operators whose quoted operands are texts whatever stands beside them. */
const TEXT_OPERATORS = new Set([
  '||',
  '->',
  '->>',
  '#>',
  '#>>',
  'like',
  'not like',
  'ilike',
  'not ilike',
  '~',
  '~*',
  '!~',
  '!~*',
])
/** Functions of two equal sides, treated as operators. */
const SYMMETRIC_FUNCTIONS = new Set(['nullif'])
/** The types that quoted operands of these take, the left one's and the right one's. */
const JSON_SIDES: Readonly<Record<string, readonly [ScalarType, ScalarType]>> = {
  '#-': ['jsonb', 'text'],
  '?': ['jsonb', 'text'],
  '?|': ['jsonb', 'text'],
  '?&': ['jsonb', 'text'],
  '@>': ['jsonb', 'jsonb'],
  '<@': ['jsonb', 'jsonb'],
}
/** In the order in which a quoted argument of a function is tried: PostgreSQL prefers text. */
const TEXT_CANDIDATES: readonly ScalarType[] = [
  'text',
  'timestamptz',
  'timestamp',
  'date',
  'interval',
  'double precision',
  'bigint',
  'boolean',
  'jsonb',
]
const NULL_CANDIDATES: readonly ScalarType[] = ['any', ...TEXT_CANDIDATES]
/** Open arguments that are tried with every candidate; further ones are text. */
const OPEN_ARGUMENTS_MAX = 3

/**
 * The call with its entry chosen and its literals typed.
 * Errors: sql_type_mismatch when no entry of the name takes the arguments; what a literal's text is refused for.
 */
export function resolveCall(request: CallRequest): Call {
  const { form, name, position } = request
  if (request.args.length > CALL_ARGUMENTS_MAX) {
    throw new RollupdError('sql_invalid', `a call has at most ${CALL_ARGUMENTS_MAX} arguments`, {
      position,
      hint: `Put calls of ${name} inside each other.`,
    })
  }
  const args = settleNumbers(request.args)
  const entries = findFunctions(form, name)
  for (const types of typeCombinations(form, name, args)) {
    for (const entry of entries) {
      const type = entry.resolve(types)
      if (type === undefined) continue
      const typed = args.map((arg, index) => (isOpen(arg) ? giveType(arg, types[index] as ScalarType) : arg))
      // Literals that an entry reads once (units, patterns) are checked here, where they have a position.
      entry.specialize?.(typed)
      return { kind: 'call', function: entry.id, args: typed, type, position }
    }
  }
  throw mismatch(request, entries)
}

/** Whether the table has any entry of that form and name. */
export function isKnown(form: Form, name: string): boolean {
  return findFunctions(form, name).length > 0
}

function settleNumbers(args: readonly Expression[]): Expression[] {
  const besideNumeric = args.some((arg) => arg.type === 'numeric' && !isOpenNumber(arg))
  return args.map((arg) => (isOpenNumber(arg) ? (besideNumeric ? toNumeric(arg) : toDouble(arg)) : arg))
}

function typeCombinations(form: Form, name: string, args: readonly Expression[]): ScalarType[][] {
  const open = args.filter(isOpen)
  if (open.length === 0) return [args.map(({ type }) => type)]
  const bothSides = form === 'operator' || SYMMETRIC_FUNCTIONS.has(name)
  let combinations: ScalarType[][] = [[]]
  let opened = 0
  for (const arg of args) {
    let candidates: readonly ScalarType[] = [arg.type]
    if (isOpen(arg)) {
      opened += 1
      candidates = bothSides ? sideCandidates(name, arg, args) : argumentCandidates(arg)
      if (opened > OPEN_ARGUMENTS_MAX) candidates = ['text']
    }
    combinations = combinations.flatMap((types) => candidates.map((type) => [...types, type]))
  }
  return combinations
}

function argumentCandidates(arg: Expression): readonly ScalarType[] {
  return isNull(arg) ? NULL_CANDIDATES : TEXT_CANDIDATES
}

/** An operator's open operand takes the other side's declared type; NULL takes any. */
function sideCandidates(name: string, arg: Expression, args: readonly Expression[]): readonly ScalarType[] {
  const other = args.find((side) => side !== arg && !isOpen(side))
  // beside an array it is compared with its elements
  if (/ (any|all)$/.test(name)) return isNull(arg) ? ['text', 'any'] : ['text']
  const jsonSides = Object.hasOwn(JSON_SIDES, name) ? JSON_SIDES[name] : undefined
  if (jsonSides !== undefined) return [jsonSides[arg === args[0] ? 0 : 1]]
  if (other?.type === 'jsonb' && name === '||') return ['jsonb']
  if (other?.type === 'jsonb' && name === '-') return ['text']
  if (TEXT_OPERATORS.has(name)) return isNull(arg) ? ['text', 'any'] : ['text']
  if (other === undefined) return args.length === 1 ? argumentCandidates(arg) : isNull(arg) ? ['any', 'text'] : ['text']
  if (other.type === 'any') return isNull(arg) ? ['any'] : ['text']
  // A point in time and a quoted text: the text is a span of time, as in PostgreSQL.
  if (isTimeType(other.type) && name === '+') return ['interval']
  if (other.type === 'interval' && (name === '*' || name === '/')) return ['double precision']
  return isNull(arg) ? [other.type, 'any'] : [other.type]
}

function isNull(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value === null
}

function mismatch(request: CallRequest, entries: readonly FunctionEntry[]): RollupdError {
  const { form, name, args } = request
  const types = args.map((arg) => (isOpen(arg) ? (isNull(arg) ? 'null' : 'text') : settle(arg).type))
  const position = request.errorPosition ?? request.position
  const signatures = [...new Set(entries.map(({ signature }) => signature))]
  const takes = signatures.length === 0 ? undefined : `It takes ${signatures.join(' or ')}.`
  return new RollupdError('sql_type_mismatch', `${describe(form, name)} does not take ${listTypes(types)}`, {
    position,
    hint: hintFor(form, name, args, types) ?? takes,
  })
}

function describe(form: Form, name: string): string {
  if (form === 'operator') return `the operator ${name.toUpperCase()}`
  return form === 'function' ? `the function ${name}` : `a cast to ${name}`
}

function listTypes(types: readonly string[]): string {
  return types.length === 0 ? 'no arguments' : types.join(' and ')
}

function hintFor(form: Form, name: string, args: readonly Expression[], types: readonly string[]): string | undefined {
  if ((form === 'cast' || form === 'try_cast') && isTimeType(name as ScalarType) && NUMBER_TYPES.has(types[0] ?? '')) {
    return 'Write to_timestamp(x) for seconds since 1970, timestamp_millis(x) for milliseconds.'
  }
  if (form !== 'operator' || args.length !== 2 || types[0] === types[1]) return undefined
  if (types.some((type) => isTimeType(type as ScalarType)) && types.some((type) => NUMBER_TYPES.has(type))) {
    return 'Write to_timestamp(x) for seconds since 1970, timestamp_millis(x) for milliseconds.'
  }
  if (types.includes('interval') && types.includes('any')) return 'Cast the field, for example with ::timestamptz.'
  const left = types[0] === 'any' ? types[1] : types[0]
  return `Cast one side so that both have one type, for example with ::${left}.`
}

/** A comparison, both sides typed. */
export function compare(name: string, left: Expression, right: Expression, errorPosition: number): Call {
  return resolveCall({ form: 'operator', name, args: [left, right], position: left.position, errorPosition })
}

/** NOT x */
export function negate(argument: Expression, position: number): Call {
  return resolveCall({ form: 'operator', name: 'not', args: [argument], position })
}

/** Functions whose arrays hold texts alone. */
const TEXT_ARRAYS: ReadonlySet<string> = new Set(['regexp_match', 'regexp_split_to_array', 'string_to_array'])

export function isTextArray(expression: Expression): boolean {
  return expression.kind === 'call' && TEXT_ARRAYS.has(expression.function)
}

/** As followSteps, of one step to what is a text. */
export function followTextStep(base: Expression, step: string | number, position: number): Expression {
  const argument = literal(typeof step === 'string' ? 'text' : 'bigint', String(step), position)
  return resolveCall({ form: 'operator', name: '->>', args: [base, argument], position })
}

/** Keys and elements of an expression's object or array, from outside in; elements count from zero. */
export function followSteps(expression: Expression, steps: readonly (string | number)[], position: number): Expression {
  return steps.reduce<Expression>((base, step) => {
    const argument = literal(typeof step === 'string' ? 'text' : 'bigint', String(step), position)
    return resolveCall({ form: 'operator', name: '->', args: [base, argument], position })
  }, expression)
}
