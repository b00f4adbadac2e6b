/**
 * Owns the expressions that the properties are about, as trees of their own with static types, and their SQL text. The naive
 * evaluator walks these trees, so that nothing of the parser and the analyser stands between a statement and what it should give.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { findFunctions, functionById } from '../../src/sql/function-table.ts'
import type { FunctionEntry } from '../../src/sql/function-entry.ts'

export interface FieldNode {
  readonly kind: 'field'
  readonly type: 'any'
  /** Object keys, and zero-based indexes of arrays. */
  readonly path: readonly (string | number)[]
}

export interface MetaNode {
  readonly kind: 'meta'
  readonly type: ScalarType
  readonly name: 'topic' | 'partition' | 'offset' | 'timestamp' | 'key'
}

/** `sql` is how it is written; `value`: digits of bigint and numeric, a number, text, a boolean, ISO text of a time, words of an interval. */
export interface LiteralNode {
  readonly kind: 'literal'
  readonly type: ScalarType
  readonly value: string | number | boolean | null
}

export interface CallNode {
  readonly kind: 'call'
  readonly type: ScalarType
  /** FunctionEntry.id */
  readonly id: string
  readonly args: readonly Node[]
}

export interface LogicNode {
  readonly kind: 'and' | 'or'
  readonly type: 'boolean'
  readonly args: readonly Node[]
}

export interface CaseNode {
  readonly kind: 'case'
  readonly type: ScalarType
  /** CASE operand WHEN value */
  readonly operand: Node | null
  readonly whens: readonly { readonly when: Node; readonly result: Node }[]
  readonly otherwise: Node | null
}

export interface CoalesceNode {
  readonly kind: 'coalesce'
  readonly type: ScalarType
  readonly args: readonly Node[]
}

export interface InNode {
  readonly kind: 'in'
  readonly type: 'boolean'
  readonly argument: Node
  /** null is NULL. */
  readonly list: readonly (Node | null)[]
  readonly negated: boolean
}

export interface BetweenNode {
  readonly kind: 'between'
  readonly type: 'boolean'
  readonly argument: Node
  readonly low: Node
  readonly high: Node
  readonly negated: boolean
  readonly symmetric: boolean
}

export interface AggregateNode {
  readonly kind: 'aggregate'
  readonly type: ScalarType
  readonly name: string
  /** null: star */
  readonly argument: Node | null
  readonly filter: Node | null
}

/** The index-th grouping value; written as the grouping expression itself. */
export interface GroupNode {
  readonly kind: 'group'
  readonly type: ScalarType
  readonly index: number
  readonly expression: Node
}

export type Node =
  | FieldNode
  | MetaNode
  | LiteralNode
  | CallNode
  | LogicNode
  | CaseNode
  | CoalesceNode
  | InNode
  | BetweenNode
  | AggregateNode
  | GroupNode

export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return node.args
    case 'case':
      return [node.operand, ...node.whens.flatMap(({ when, result }) => [when, result]), node.otherwise].filter(
        (child) => child !== null,
      )
    case 'in':
      return [node.argument, ...node.list.filter((item) => item !== null)]
    case 'between':
      return [node.argument, node.low, node.high]
    case 'aggregate':
      return [node.argument, node.filter].filter((child) => child !== null)
    case 'group':
      return [node.expression]
    default:
      return []
  }
}

export function someNode(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || childrenOf(node).some((child) => someNode(child, test))
}

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
  return print(node, leaf, false)
}

function print(node: Node, leaf: PrintLeaf, besideNumeric: boolean): string {
  switch (node.kind) {
    case 'field':
    case 'meta':
      return leaf(node)
    case 'literal':
      return printLiteral(node, besideNumeric)
    case 'call':
      return printCall(node, leaf)
    case 'and':
    case 'or':
      return `(${printAll(node.args, leaf).join(node.kind === 'and' ? ' AND ' : ' OR ')})`
    case 'case':
      return printCase(node, leaf)
    case 'coalesce':
      return `COALESCE(${printAll(node.args, leaf).join(', ')})`
    case 'in': {
      const numeric = isNumeric(node.argument)
      const items = node.list.map((item) => (item === null ? 'NULL' : print(item, leaf, numeric)))
      return `(${print(node.argument, leaf, false)} ${node.negated ? 'NOT IN' : 'IN'} (${items.join(', ')}))`
    }
    case 'between': {
      const word = `${node.negated ? 'NOT ' : ''}BETWEEN${node.symmetric ? ' SYMMETRIC' : ''}`
      const [argument, low, high] = printAll([node.argument, node.low, node.high], leaf)
      return `(${argument} ${word} ${low} AND ${high})`
    }
    case 'aggregate': {
      const argument = node.argument === null ? '*' : print(node.argument, leaf, false)
      const filter = node.filter === null ? '' : ` FILTER (WHERE ${print(node.filter, leaf, false)})`
      return `${node.name.toUpperCase()}(${argument})${filter}`
    }
    case 'group':
      return print(node.expression, leaf, besideNumeric)
  }
}

function isNumeric(node: Node): boolean {
  return node.type === 'numeric'
}

/** A number with a point takes the type of a numeric beside it, unless it is cast. */
function printAll(nodes: readonly Node[], leaf: PrintLeaf): string[] {
  const numeric = nodes.some(isNumeric)
  return nodes.map((node) => print(node, leaf, numeric))
}

function printCase(node: CaseNode, leaf: PrintLeaf): string {
  const results = [...node.whens.map(({ result }) => result), ...(node.otherwise === null ? [] : [node.otherwise])]
  const numeric = results.some(isNumeric)
  const operandNumeric = node.operand !== null && isNumeric(node.operand)
  const whens = node.whens.map(
    ({ when, result }) => `WHEN ${print(when, leaf, operandNumeric)} THEN ${print(result, leaf, numeric)}`,
  )
  const operand =
    node.operand === null
      ? ''
      : ` ${print(
          node.operand,
          leaf,
          node.whens.some(({ when }) => isNumeric(when)),
        )}`
  const otherwise = node.otherwise === null ? '' : ` ELSE ${print(node.otherwise, leaf, numeric)}`
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

function printCall(node: CallNode, leaf: PrintLeaf): string {
  const entry = functionById(node.id)
  const texts = printAll(node.args, leaf)
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
  return `${left} ${entry.name.toUpperCase()} ${right}`
}

export function call(form: FunctionEntry['form'], name: string, args: readonly Node[]): CallNode {
  const types = args.map(({ type }) => type)
  for (const entry of findFunctions(form, name)) {
    const type = entry.resolve(types)
    if (type !== undefined) return { kind: 'call', type, id: entry.id, args }
  }
  throw new Error(`no ${form} ${name} takes ${types.join(', ')}`)
}

/** A cast; what has the type already stays as it is, as the analyser has it. */
export function castTo(type: ScalarType, node: Node): Node {
  return node.type === type ? node : call('cast', type, [node])
}

/** The same expression where each part that is written as a grouping expression is that group's value, as the split has it. */
export function regroup(node: Node, groups: readonly Node[]): Node {
  const texts = groups.map((group) => printNode(group))
  const visit = (part: Node): Node => {
    if (part.kind === 'literal' || part.kind === 'aggregate') return part
    const index = texts.indexOf(printNode(part))
    const expression = groups[index]
    if (expression !== undefined) return { kind: 'group', type: expression.type, index, expression }
    return part.kind === 'group' ? visit(part.expression) : mapChildren(part, visit)
  }
  return visit(node)
}

export function mapChildren(node: Node, map: (child: Node) => Node): Node {
  const optional = (child: Node | null): Node | null => (child === null ? null : map(child))
  switch (node.kind) {
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return { ...node, args: node.args.map(map) }
    case 'case':
      return {
        ...node,
        operand: optional(node.operand),
        whens: node.whens.map(({ when, result }) => ({ when: map(when), result: map(result) })),
        otherwise: optional(node.otherwise),
      }
    case 'in':
      return { ...node, argument: map(node.argument), list: node.list.map(optional) }
    case 'between':
      return { ...node, argument: map(node.argument), low: map(node.low), high: map(node.high) }
    case 'aggregate':
      return { ...node, argument: optional(node.argument), filter: optional(node.filter) }
    case 'group':
      return { ...node, expression: map(node.expression) }
    default:
      return node
  }
}
