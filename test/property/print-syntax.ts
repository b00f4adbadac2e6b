/** Owns the SQL text of expressions, with every way of writing that keeps their types. */
import type { FunctionEntry } from '../../src/sql/function-entry.ts'
import { functionById } from '../../src/sql/function-table.ts'
import {
  argumentsOf,
  type AggregateNode,
  type CallNode,
  type CaseNode,
  type FieldNode,
  type LiteralNode,
  type MetaNode,
  type Node,
  type OrderItem,
} from './syntax.ts'

/** How the names of a statement's outside are written: fields in a rollup, columns in a query. */
export type PrintLeaf = (leaf: FieldNode | MetaNode) => string

const WORD = /^[a-z_][a-z0-9_]*$/
/** Words that the grammar keeps for itself. */
const RESERVED = new Set(['order', 'group', 'user', 'end', 'left', 'table', 'offset', 'default'])

export function quoteName(name: string): string {
  return WORD.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

// oxlint-disable-next-line no-control-regex -- a statement writes them as escapes
const CONTROL_CHARACTERS = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

export function quoteText(text: string): string {
  const quoted = text.replaceAll("'", "''")
  if (quoted.search(CONTROL_CHARACTERS) < 0) return `'${quoted}'`
  const escaped = quoted
    .replaceAll('\\', '\\\\')
    .replaceAll(CONTROL_CHARACTERS, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `E'${escaped}'`
}

export const printRecordLeaf: PrintLeaf = (leaf) => {
  if (leaf.kind === 'meta') return `_meta.${leaf.name}`
  const [head, ...steps] = leaf.path
  const text = steps.map((step) => (typeof step === 'number' ? `[${step + 1}]` : `.${quoteName(step)}`))
  return `_input.${quoteName(String(head))}${text.join('')}`
}

/** The SQL of an expression, in brackets where it needs them. */
export function printNode(node: Node, leaf: PrintLeaf = printRecordLeaf): string {
  const print: PrintPart = (part, besideNumeric) => {
    if (part.kind === 'field' || part.kind === 'meta') return leaf(part)
    return part.kind === 'literal' ? printLiteral(part, besideNumeric) : printWith(part, print)
  }
  return print(node, false)
}

/** Writes a part; a number with a point takes the type of a numeric beside it, unless it is cast. */
export type PrintPart = (node: Node, besideNumeric: boolean) => string

type Leaf = FieldNode | MetaNode | LiteralNode

/** A node whose parts are written by `print`. */
export function printWith(node: Exclude<Node, Leaf>, print: PrintPart): string {
  switch (node.kind) {
    case 'call':
      return printCall(node, printAll(node.args, print))
    case 'and':
    case 'or':
      return `(${printAll(node.args, print).join(node.kind === 'and' ? ' AND ' : ' OR ')})`
    case 'case':
      return printCase(node, print)
    case 'coalesce':
      return `COALESCE(${printAll(node.args, print).join(', ')})`
    case 'try':
      return `try(${print(node.argument, false)})`
    case 'in': {
      const numeric = isNumeric(node.argument)
      const items = node.list.map((item) => (item === null ? 'NULL' : print(item, numeric)))
      return `(${print(node.argument, false)} ${node.negated ? 'NOT IN' : 'IN'} (${items.join(', ')}))`
    }
    case 'between': {
      const word = `${node.negated ? 'NOT ' : ''}BETWEEN${node.symmetric ? ' SYMMETRIC' : ''}`
      const [argument, low, high] = printAll([node.argument, node.low, node.high], print)
      return `(${argument} ${word} ${low} AND ${high})`
    }
    case 'aggregate': {
      const args = argumentsOf(node).map((argument) => print(argument, false))
      const filter = node.filter === null ? '' : ` FILTER (WHERE ${print(node.filter, false)})`
      const parameter = printParameter(node)
      if (node.within !== undefined)
        return `${node.name.toUpperCase()}(${parameter}) WITHIN GROUP (ORDER BY ${args.join()} ${node.within})${filter}`
      const inner = [args.length === 0 ? '*' : args, parameter === '' ? [] : parameter].flat().join(', ')
      const order = printOrder(node.order ?? [], (key) => print(key, false))
      return `${node.name.toUpperCase()}(${node.distinct ? 'DISTINCT ' : ''}${inner}${order})${filter}`
    }
    case 'group':
      return print(node.expression, false)
    case 'grouping':
      return `GROUPING(${node.args.map((arg) => print(arg, false)).join(', ')})`
  }
}

/** Empty where there is none. */
function printParameter({ parameter, fractions }: AggregateNode): string {
  if (fractions !== undefined) return `ARRAY[${fractions.map((one) => one ?? 'NULL').join(', ')}]::float8[]`
  return typeof parameter === 'string' ? quoteText(parameter) : String(parameter ?? '')
}

/** ORDER BY with every direction written out; empty without keys. */
export function printOrder(order: readonly OrderItem[], print: (node: Node) => string): string {
  const keys = order.map(
    ({ node, descending, nullsFirst }) =>
      `${print(node)} ${descending ? 'DESC' : 'ASC'} NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`,
  )
  return keys.length === 0 ? '' : ` ORDER BY ${keys.join(', ')}`
}

function isNumeric(node: Node): boolean {
  return node.type === 'numeric'
}

function printAll(nodes: readonly Node[], print: PrintPart): string[] {
  const numeric = nodes.some(isNumeric)
  return nodes.map((node) => print(node, numeric))
}

function printCase(node: CaseNode, print: PrintPart): string {
  const results = [...node.whens.map(({ result }) => result), ...(node.otherwise === null ? [] : [node.otherwise])]
  const numeric = results.some(isNumeric)
  const operandNumeric = node.operand !== null && isNumeric(node.operand)
  const whens = node.whens.map(
    ({ when, result }) => `WHEN ${print(when, operandNumeric)} THEN ${print(result, numeric)}`,
  )
  const operand =
    node.operand === null
      ? ''
      : ` ${print(
          node.operand,
          node.whens.some(({ when }) => isNumeric(when)),
        )}`
  const otherwise = node.otherwise === null ? '' : ` ELSE ${print(node.otherwise, numeric)}`
  return `(CASE${operand} ${whens.join(' ')}${otherwise} END)`
}

function printLiteral({ type, value }: LiteralNode, besideNumeric: boolean): string {
  if (value === null) return `NULL::${type}`
  switch (type) {
    case 'text':
      return quoteText(String(value))
    case 'boolean':
      return value === true ? 'TRUE' : 'FALSE'
    case 'timestamptz':
      return `${quoteText(String(value))}::timestamptz`
    case 'jsonb':
      return `${quoteText(String(value))}::jsonb`
    case 'timestamp':
    case 'date':
      return `${quoteText(String(value))}::${type}`
    case 'interval':
      return `INTERVAL ${quoteText(String(value))}`
    case 'double precision': {
      const text = String(value)
      const written = /[.e]/.test(text) ? text : `${text}.0`
      const bracketed = written.startsWith('-') ? `(${written})` : written
      return besideNumeric ? `${bracketed}::double precision` : bracketed
    }
    default:
      return String(value).startsWith('-') ? `(${String(value)})` : String(value)
  }
}

/** A call of written arguments. */
export function printCall(node: CallNode, texts: readonly string[]): string {
  const entry = functionById(node.id)
  const [first = '', second = ''] = texts
  switch (entry.form) {
    case 'cast':
      return `CAST(${first} AS ${entry.name})`
    case 'try_cast':
      return `try_cast(${first}, '${entry.name}')`
    case 'operator':
      return `(${printOperator(entry, texts)})`
    default:
  }
  if (node.id === 'extract') return `extract(${first} FROM ${second})`
  return `${entry.name}(${texts.join(', ')})`
}

function printOperator(entry: FunctionEntry, [left = '', right]: readonly string[]): string {
  if (entry.name === 'not') return `NOT ${left}`
  if (entry.name.startsWith('is ') && right === undefined) return `${left} ${entry.name.toUpperCase()}`
  if (right === undefined) return `${entry.name} ${left}`
  if (/ (any|all)$/.test(entry.name)) return `${left} ${entry.name.toUpperCase()} (${right})`
  return `${left} ${entry.name.toUpperCase()} ${right}`
}
