/** Owns smaller cases: without some of the records, outputs, groups and conditions, and with parts of expressions in their place. */
import type { Rollup } from './naive-evaluator.ts'
import type { SourceRecord } from './naive-expressions.ts'
import { isGroupingValue, type SqlCase } from './random-case.ts'
import { printJson } from './random-values.ts'
import { childrenOf, mapChildren, type Node } from './syntax.ts'

export function* smallerCases(sample: SqlCase): Generator<SqlCase> {
  for (const records of smallerLists(sample.records)) yield { ...sample, records }
  for (const rollup of smallerRollups(sample.rollup)) yield { ...sample, rollup }
  for (const records of smallerRecords(sample.records)) yield { ...sample, records }
}

/** Without a half, a quarter, ... one of the elements. */
export function* smallerLists<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list.length; from += size)
      yield list.filter((_, index) => index < from || index >= from + size)
  }
}

function* smallerRollups(rollup: Rollup): Generator<Rollup> {
  const { groups, outputs, where, having } = rollup
  if (where !== null) yield { ...rollup, where: null }
  if (having !== null) yield { ...rollup, having: null }
  if (rollup.grouping !== undefined && rollup.grouping !== 'plain') yield { ...rollup, grouping: 'plain' }
  if (outputs.length > 1) {
    for (const index of outputs.keys()) yield { ...rollup, outputs: outputs.filter((_, other) => other !== index) }
  }
  for (const index of groups.keys()) {
    const used = [...outputs.map(({ node }) => node), having].some((node) => node !== null && usesGroup(node, index))
    if (!used) yield { ...rollup, ...withoutGroup(rollup, index) }
  }
  for (const [index, output] of outputs.entries()) {
    if (output.node.kind === 'group') continue
    for (const node of smallerNodes(output.node, false))
      yield { ...rollup, outputs: outputs.with(index, { ...output, node }) }
  }
  for (const [index, group] of groups.entries()) {
    for (const node of smallerNodes(group, false))
      if (isGroupingValue(node)) yield { ...rollup, ...withGroup(rollup, index, node) }
  }
  if (where !== null) for (const node of smallerNodes(where, true)) yield { ...rollup, where: node }
  if (having !== null) for (const node of smallerNodes(having, true)) yield { ...rollup, having: node }
}

function usesGroup(node: Node, index: number): boolean {
  if (node.kind === 'group') return node.index === index
  return node.kind !== 'aggregate' && childrenOf(node).some((child) => usesGroup(child, index))
}

function withoutGroup(
  { groups, outputs, having }: Rollup,
  index: number,
): Pick<Rollup, 'groups' | 'outputs' | 'having'> {
  const move = (node: Node): Node => {
    if (node.kind === 'group') return node.index > index ? { ...node, index: node.index - 1 } : node
    return mapChildren(node, move)
  }
  return {
    groups: groups.filter((_, other) => other !== index),
    outputs: outputs.map(({ name, node }) => ({ name, node: move(node) })),
    having: having === null ? null : move(having),
  }
}

function withGroup(
  { groups, outputs, having }: Rollup,
  index: number,
  expression: Node,
): Pick<Rollup, 'groups' | 'outputs' | 'having'> {
  const replace = (node: Node): Node => {
    if (node.kind === 'group') return node.index === index ? { ...node, type: expression.type, expression } : node
    return mapChildren(node, replace)
  }
  return {
    groups: groups.with(index, expression),
    outputs: outputs.map(({ name, node }) => ({ name, node: replace(node) })),
    having: having === null ? null : replace(having),
  }
}

/** The parts of a node, and the node with a smaller part; parts inside keep their type, so that calls stay calls. */
export function* smallerNodes(node: Node, keepsType: boolean): Generator<Node> {
  if (node.kind === 'group' || node.kind === 'aggregate' || node.kind === 'literal') {
    if (node.kind === 'aggregate') {
      if (node.filter !== null) yield { ...node, filter: null }
      for (const order of node.order === undefined ? [] : smallerLists(node.order)) yield { ...node, order }
      if (node.argument !== null) {
        for (const argument of smallerNodes(node.argument, true)) yield { ...node, argument }
      }
      if (node.second !== undefined) for (const second of smallerNodes(node.second, true)) yield { ...node, second }
      if (node.filter !== null) for (const filter of smallerNodes(node.filter, true)) yield { ...node, filter }
    }
    return
  }
  for (const child of childrenOf(node)) if (!keepsType || child.type === node.type) yield child
  if (node.kind === 'and' || node.kind === 'or' || node.kind === 'coalesce') {
    // the first argument of COALESCE has its type
    const from = node.kind === 'coalesce' ? 1 : 0
    for (let index = from; index < node.args.length && node.args.length > 1; index++)
      yield { ...node, args: node.args.filter((_, other) => other !== index) }
  }
  if (node.kind === 'in' && node.list.length > 1) {
    for (const index of node.list.keys()) yield { ...node, list: node.list.filter((_, other) => other !== index) }
  }
  const children = childrenOf(node)
  for (const [index, child] of children.entries()) {
    for (const smaller of smallerNodes(child, true)) {
      let at = -1
      yield mapChildren(node, (part) => (++at === index ? smaller : part))
    }
  }
}

/** Without fields that a record can do without. */
function* smallerRecords(records: readonly SourceRecord[]): Generator<readonly SourceRecord[]> {
  for (const [index, record] of records.entries()) {
    const { value } = record
    if (value === undefined) continue
    for (const members of smallerLists(value.members)) {
      const smaller = { members }
      yield records.with(index, { ...record, value: smaller, text: printJson(smaller) })
    }
  }
}
