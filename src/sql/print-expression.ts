/**
 * Owns expressions as SQL that a person reads. Parts get parentheses where PostgreSQL's precedence needs them, so that the text of an ingest
 * expression parses to the same tree again.
 */
import { assert, unreachable } from '../core/assert.ts'
import type { AggregateCall, AggregateOrder, Case, Expression, Field, Meta, PartialValue } from './expression.ts'
import type { FunctionEntry } from './function-entry.ts'
import { functionById } from './function-table.ts'
import { NAME_BYTES_MAX, quoteLabel, quoteName, quoteText } from './identifier.ts'
import { literalText } from './literal.ts'
import { printLiteral } from './print-literal.ts'

/** How parts that only a wrap half has are called. */
export interface PrintNames {
  readonly group?: (index: number) => string
  readonly partial?: (value: PartialValue) => string
}

/** PostgreSQL's precedence, low to high. */
const OR = 1
const AND = 2
const NOT = 3
const IS = 4
const COMPARISON = 5
const LIKE = 6
const OTHER = 7
const SUM = 8
const PRODUCT = 9
const POWER = 10
const SIGN = 11
const CAST = 12
const ATOM = 13

const BINARY: Readonly<Record<string, number>> = {
  ...{ '=': COMPARISON, '<>': COMPARISON, '<': COMPARISON, '<=': COMPARISON, '>': COMPARISON, '>=': COMPARISON },
  ...{ 'is distinct from': IS, 'is not distinct from': IS },
  ...{ like: LIKE, 'not like': LIKE, ilike: LIKE, 'not ilike': LIKE },
  ...{ '+': SUM, '-': SUM, '*': PRODUCT, '/': PRODUCT, '%': PRODUCT, '^': POWER },
}
/** `= any`: its right side stands in parentheses. */
const ARRAY_OPERATOR = / (any|all)$/
const RIGHT_OPEN = new Set([COMPARISON, LIKE, IS])

interface Printed {
  readonly text: string
  readonly precedence: number
}

/** The expression as SQL. */
export function printExpression(expression: Expression, names: PrintNames = {}): string {
  return print(expression, names).text
}

function print(expression: Expression, names: PrintNames): Printed {
  switch (expression.kind) {
    case 'literal': {
      const text = printLiteral(expression)
      return { text, precedence: text.startsWith('-') ? SIGN : text.includes('::') ? CAST : ATOM }
    }
    case 'field':
      return printField(expression)
    case 'meta':
      return atom(printMeta(expression))
    case 'call':
      return printCall(functionById(expression.function), expression.args, names)
    case 'and':
    case 'or':
      return printLogic(expression.kind, expression.args, names)
    case 'case':
      return atom(printCase(expression, names))
    case 'coalesce':
      return atom(`COALESCE(${printList(expression.args, names)})`)
    case 'try':
      return atom(`try(${print(expression.argument, names).text})`)
    case 'in':
      return {
        text: `${operand(expression.argument, LIKE + 1, names)} IN (${printList(expression.list, names)})`,
        precedence: LIKE,
      }
    case 'aggregate':
      return atom(printAggregate(expression, names))
    case 'grouping':
      // grouping sets without any expression are all ()
      return atom(expression.args.length === 0 ? '0' : `GROUPING(${printList(expression.args, names)})`)
    case 'group':
      return atom(names.group?.(expression.index) ?? `k${expression.index}`)
    case 'partial':
      return atom(names.partial?.(expression) ?? `p${expression.index}`)
    case 'fragment':
      return { text: expression.sql, precedence: OR - 1 }
    default:
      return unreachable(expression)
  }
}

function atom(text: string): Printed {
  return { text, precedence: ATOM }
}

/** A part, in parentheses when it binds less than `atLeast`. */
function operand(expression: Expression, atLeast: number, names: PrintNames): string {
  const { text, precedence } = print(expression, names)
  return precedence < atLeast ? `(${text})` : text
}

function printList(expressions: readonly Expression[], names: PrintNames): string {
  return expressions.map((expression) => print(expression, names).text).join(', ')
}

function printLogic(kind: 'and' | 'or', args: readonly Expression[], names: PrintNames): Printed {
  const precedence = kind === 'or' ? OR : AND
  return { text: args.map((arg) => operand(arg, precedence + 1, names)).join(` ${kind.toUpperCase()} `), precedence }
}

function printCall(entry: FunctionEntry, args: readonly Expression[], names: PrintNames): Printed {
  switch (entry.form) {
    case 'operator':
      return printOperator(entry.name, args, names)
    case 'cast':
      return { text: `${operand(first(args), CAST, names)}::${entry.name}`, precedence: CAST }
    case 'try_cast':
      return atom(`try_cast(${print(first(args), names).text}, ${quoteText(entry.name)})`)
    case 'function':
      return printFunction(entry, args, names)
    default:
      return unreachable(entry.form)
  }
}

function printOperator(name: string, args: readonly Expression[], names: PrintNames): Printed {
  const [left, right] = args
  assert(left !== undefined, 'an operator has an operand')
  if (right !== undefined && ARRAY_OPERATOR.test(name)) {
    return {
      text: `${operand(left, COMPARISON + 1, names)} ${name.toUpperCase()} (${print(right, names).text})`,
      precedence: OTHER,
    }
  }
  if (right !== undefined) {
    const precedence = BINARY[name] ?? OTHER
    const leftText = operand(left, RIGHT_OPEN.has(precedence) ? precedence + 1 : precedence, names)
    return { text: `${leftText} ${name.toUpperCase()} ${operand(right, precedence + 1, names)}`, precedence }
  }
  if (name === 'not') return { text: `NOT ${operand(left, NOT, names)}`, precedence: NOT }
  if (name.startsWith('is ')) return { text: `${operand(left, IS + 1, names)} ${name.toUpperCase()}`, precedence: IS }
  // ~ binds less than arithmetic: what stands in it is shown in parentheses all the same
  return { text: `${name}${operand(left, SIGN + 1, names)}`, precedence: name === '-' ? SIGN : OTHER }
}

function printFunction(entry: FunctionEntry, args: readonly Expression[], names: PrintNames): Printed {
  const [unit, subject] = args
  if (entry.name === 'timezone' && unit !== undefined && subject !== undefined) {
    // it binds more than ^, and what stands in it is shown in parentheses all the same
    return {
      text: `${operand(subject, SIGN + 1, names)} AT TIME ZONE ${operand(unit, SIGN + 1, names)}`,
      precedence: POWER,
    }
  }
  if (entry.name === 'extract' && unit?.kind === 'literal' && subject !== undefined) {
    return atom(`extract(${quoteLabel(literalText(unit))} FROM ${print(subject, names).text})`)
  }
  return atom(`${entry.name}(${printList(args, names)})`)
}

function printCase(expression: Case, names: PrintNames): string {
  const whens = expression.whens.map(
    ({ when, then }) => `WHEN ${print(when, names).text} THEN ${print(then, names).text}`,
  )
  return `CASE ${whens.join(' ')} ELSE ${print(expression.otherwise, names).text} END`
}

function printAggregate(call: AggregateCall, names: PrintNames): string {
  const parameter = call.parameter === undefined ? '' : `, ${printParameter(call.parameter)}`
  const args = call.args.length === 0 ? '*' : printList(call.args, names) + parameter
  const filter = call.filter === null ? '' : ` FILTER (WHERE ${print(call.filter, names).text})`
  const order = printOrder(call.order ?? [], names)
  return `${call.name.toUpperCase()}(${call.distinct ? 'DISTINCT ' : ''}${args}${order})${filter}`
}

/** What an aggregate call gives to finalize, as it was written. */
export function printParameter(parameter: number | string): string {
  return typeof parameter === 'number' ? String(parameter) : quoteText(parameter)
}

/** Directions that the grammar would take anyhow are left out. */
function printOrder(order: readonly AggregateOrder[], names: PrintNames): string {
  const keys = order.map(({ expression, descending, nullsFirst }) => {
    const nulls = nullsFirst === descending ? '' : ` NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`
    return `${print(expression, names).text}${descending ? ' DESC' : ''}${nulls}`
  })
  return keys.length === 0 ? '' : ` ORDER BY ${keys.join(', ')}`
}

function printMeta(expression: Meta): string {
  if (expression.name === 'ordinality') return quoteName(expression.column ?? expression.name)
  return expression.name === 'header'
    ? `_meta.headers.${quoteLabel(expression.header ?? '')}`
    : `_meta.${expression.name}`
}

/** `device.os`, `tags[1]`; a name longer than the grammar takes, and all behind it, by ->. */
function printField({ path, element }: Field): Printed {
  const isLong = (step: string | number): boolean =>
    typeof step === 'string' && Buffer.byteLength(step, 'utf8') > NAME_BYTES_MAX
  const [head, ...tail] = path
  const needsPrefix =
    element !== undefined ||
    typeof head !== 'string' ||
    head === '_input' ||
    head === '_meta' ||
    head === '' ||
    isLong(head)
  let text = needsPrefix ? quoteName(element ?? '_input') : quoteName(head)
  let byArrows = false
  for (const step of needsPrefix ? path : tail) {
    byArrows ||= isLong(step) || step === ''
    if (byArrows) text += typeof step === 'number' ? ` -> ${step}` : ` -> ${quoteText(step)}`
    else text += typeof step === 'number' ? `[${step + 1}]` : `.${quoteLabel(step)}`
  }
  return { text, precedence: byArrows ? OTHER : ATOM }
}

function first(args: readonly Expression[]): Expression {
  const [argument] = args
  assert(argument !== undefined, 'a cast has an operand')
  return argument
}
