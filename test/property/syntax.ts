/**
 * Owns the expressions that the properties are about, as trees of their own with static types. The naive evaluator walks these trees, so that
 * nothing of the parser and the analyser stands between a statement and what it should give.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { findFunctions } from '../../src/sql/function-table.ts'
import type { FunctionEntry } from '../../src/sql/function-entry.ts'

export interface FieldNode {
  readonly kind: 'field'
  readonly type: 'any'
  /** Object keys, and zero-based indexes of arrays. */
  readonly path: readonly (string | number)[]
  /** Under a cast to numeric: the number as it is written, not the double nearest to it. */
  readonly exact?: true
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

/** try(argument) */
export interface TryNode {
  readonly kind: 'try'
  readonly type: ScalarType
  readonly argument: Node
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
  readonly distinct: boolean
  /** null: star */
  readonly argument: Node | null
  /** Of those that take two. */
  readonly second?: Node
  /** The fraction of a percentile, a separator, the width of a histogram's buckets. */
  readonly parameter?: number | string
  /** Those of an array of percentiles instead; null is NULL. */
  readonly fractions?: readonly (number | null)[]
  /** Of `name(parameter) WITHIN GROUP (ORDER BY argument)`: the direction. */
  readonly within?: 'asc' | 'desc'
  /** ORDER BY inside the call. */
  readonly order?: readonly OrderItem[]
  readonly filter: Node | null
}

export interface OrderItem {
  readonly node: Node
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** The index-th grouping value; written as the grouping expression itself. */
export interface GroupNode {
  readonly kind: 'group'
  readonly type: ScalarType
  readonly index: number
  readonly expression: Node
}

/** GROUPING over some of the groups. */
export interface GroupingNode {
  readonly kind: 'grouping'
  readonly type: 'bigint'
  readonly args: readonly GroupNode[]
}

export type Node =
  | FieldNode
  | MetaNode
  | LiteralNode
  | CallNode
  | LogicNode
  | CaseNode
  | CoalesceNode
  | TryNode
  | InNode
  | BetweenNode
  | AggregateNode
  | GroupNode
  | GroupingNode

export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
    case 'grouping':
      return node.args
    case 'case':
      return [node.operand, ...node.whens.flatMap(({ when, result }) => [when, result]), node.otherwise].filter(
        (child) => child !== null,
      )
    case 'try':
      return [node.argument]
    case 'in':
      return [node.argument, ...node.list.filter((item) => item !== null)]
    case 'between':
      return [node.argument, node.low, node.high]
    case 'aggregate':
      return [
        ...argumentsOf(node),
        ...(node.order ?? []).map((key) => key.node),
        ...(node.filter === null ? [] : [node.filter]),
      ]
    case 'group':
      return [node.expression]
    default:
      return []
  }
}

export function argumentsOf({ argument, second }: AggregateNode): readonly Node[] {
  return [argument, second].filter((one) => one !== null && one !== undefined)
}

export function someNode(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || childrenOf(node).some((child) => someNode(child, test))
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
    case 'try':
      return { ...node, argument: map(node.argument) }
    case 'in':
      return { ...node, argument: map(node.argument), list: node.list.map(optional) }
    case 'between':
      return { ...node, argument: map(node.argument), low: map(node.low), high: map(node.high) }
    case 'aggregate':
      return {
        ...node,
        argument: optional(node.argument),
        ...(node.second === undefined ? {} : { second: map(node.second) }),
        ...(node.order === undefined ? {} : { order: node.order.map((key) => ({ ...key, node: map(key.node) })) }),
        filter: optional(node.filter),
      }
    case 'group':
      return { ...node, expression: map(node.expression) }
    case 'grouping':
      return { ...node, args: node.args.map((arg) => map(arg) as GroupNode) }
    default:
      return node
  }
}
