/**
 * Owns a rollup as a plain query, a record at a time: WHERE, groups, aggregates over lists of values, outputs, HAVING. Simple on
 * purpose: it keeps every value, and calls nothing of rollupd's evaluators. Written from docs/SQL.md.
 */
import type { OnError } from '../../src/core/policy.ts'
import { evaluate, recordLeaf, type SourceRecord, type Surroundings } from './naive-expressions.ts'
import { groupingOf, setsOf, type GroupingStyle } from './grouping-style.ts'
import { checkArguments, finalize, isInput, type Input } from './naive-aggregates.ts'
import { truthOf } from './naive-functions.ts'
import { printNode } from './print-syntax.ts'
import { regroup } from './regroup.ts'
import { takenOf } from './naive-order-statistics.ts'
import { argumentsOf, childrenOf, type AggregateNode, type Node } from './syntax.ts'
import { canonical } from './naive-intervals.ts'
import { keyOf, RowError, showValue, type Value } from './value.ts'

export interface Rollup {
  readonly groups: readonly Node[]
  /** Absent: plain. */
  readonly grouping?: GroupingStyle
  readonly outputs: readonly { readonly name: string; readonly node: Node }[]
  readonly where: Node | null
  readonly having: Node | null
  readonly onError: OnError
}

export interface NaiveDeadLetter {
  readonly partition: number
  readonly offset: number
  readonly code: string
}

/** A visible group: its outputs as JSON, and the codes of those that have no value. */
export interface NaiveRow {
  readonly text: string
  readonly errors: readonly string[]
  /** Null where there is none. */
  readonly values: readonly Value[]
}

export interface NaiveAnswer {
  readonly rows: readonly NaiveRow[]
  readonly deadLetters: readonly NaiveDeadLetter[]
  readonly aggregated: number
  readonly filtered: number
  readonly kindMismatches: number
  readonly groupCount: number
  /** Codes of HAVING's errors, of groups that would be hidden anyhow too. */
  readonly havingErrors: readonly string[]
  /** HAVING's errors that must be told: nothing else hides their groups. */
  readonly certainHavingErrors: number
}

interface Group {
  /** Indexes of the grouping expressions that it is grouped by. */
  readonly set: readonly number[]
  readonly values: readonly Value[]
  /** By the aggregate's text. */
  readonly inputs: Map<string, Input[]>
  records: number
}

export function evaluateRollup(rollup: Rollup, records: readonly SourceRecord[]): NaiveAnswer {
  const aggregates = aggregatesOf(rollup)
  const groups = new Map<string, Group>()
  for (const [index, set] of setsOfRollup(rollup).entries()) {
    const values = rollup.groups.map(() => null)
    if (set.length === 0) groups.set(groupKey(index, values), { set, values, inputs: new Map(), records: 0 })
  }
  const deadLetters: NaiveDeadLetter[] = []
  const counts = { aggregated: 0, filtered: 0, kindMismatches: 0 }
  for (const record of records) {
    const { partition, offset } = record
    const notes = { kindMismatch: false }
    try {
      if (record.value === undefined) throw new RowError(record.brokenCode ?? 'invalid_json')
      const folded = foldRecord(rollup, aggregates, record, groups, notes)
      if (folded) counts.aggregated++
      else counts.filtered++
      if (notes.kindMismatch) counts.kindMismatches++
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      deadLetters.push({ partition, offset, code: error.code })
    }
  }
  return { ...counts, deadLetters, groupCount: groups.size, ...readGroups(rollup, groups) }
}

function setsOfRollup({ grouping = 'plain', groups }: Rollup): number[][] {
  return setsOf(grouping, groups.length)
}

function groupKey(set: number, values: readonly Value[]): string {
  return JSON.stringify([set, ...values.map(keyOf)])
}

/** All of the statement, each text once, in the order in which the split meets them. */
function aggregatesOf({ outputs, having }: Rollup): AggregateNode[] {
  const found = new Map<string, AggregateNode>()
  const visit = (node: Node): void => {
    if (node.kind === 'aggregate') found.set(printNode(node), found.get(printNode(node)) ?? node)
    else if (node.kind !== 'group') childrenOf(node).forEach(visit)
  }
  for (const { node } of outputs) visit(node)
  if (having !== null) visit(having)
  return [...found.values()]
}

/** False: WHERE isn't true. Errors: RowError, and nothing has changed. */
function foldRecord(
  rollup: Rollup,
  aggregates: readonly AggregateNode[],
  record: SourceRecord,
  groups: Map<string, Group>,
  notes: Surroundings['notes'],
): boolean {
  const { groups: expressions, where, onError } = rollup
  const failingIsNull = onError === 'null'
  const at: Surroundings = { notes, leaf: recordLeaf(record), failingIsNull, throughKeys: false }
  const holds = (condition: Node | null): boolean =>
    condition === null || truthOf(evaluate(condition, at), notes) === true
  if (!holds(where)) return false
  const evaluated = expressions.map((expression) => evaluate(expression, at))
  const values = evaluated.map((value) => keyed(value, failingIsNull))
  const conditions = aggregates.map(({ filter }) => holds(filter))
  const place = [record.timestampMs, record.partition, record.offset]
  const inputs = aggregates.map((aggregate, index): Input | undefined =>
    conditions[index]
      ? {
          args: argumentsOf(aggregate).map((argument) =>
            orNull(failingIsNull, () => takenOf(aggregate, evaluate(argument, at))),
          ),
          order: (aggregate.order ?? []).map(({ node }) => evaluate(node, at)),
          place,
        }
      : undefined,
  )
  const taken = aggregates.map((aggregate, index) => takes(aggregate, inputs[index], failingIsNull))
  for (const [number, set] of setsOfRollup(rollup).entries()) {
    const ofSet = values.map((value, index) => (set.includes(index) ? value : null))
    const key = groupKey(number, ofSet)
    const group: Group = groups.get(key) ?? { set, values: ofSet, inputs: new Map(), records: 0 }
    groups.set(key, group)
    group.records++
    for (const [index, aggregate] of aggregates.entries()) {
      const text = printNode(aggregate)
      const list = group.inputs.get(text) ?? []
      group.inputs.set(text, list)
      const input = inputs[index]
      if (taken[index] === true && input !== undefined) list.push(input)
    }
  }
  return true
}

/** A value that no key holds fails, or is NULL. */
function keyed(value: Value, failingIsNull: boolean): Value {
  return orNull(failingIsNull, () => {
    keyOf(value)
    return canonical(value)
  })
}

function orNull(failingIsNull: boolean, compute: () => Value): Value {
  try {
    return compute()
  } catch (error) {
    if (error instanceof RowError && failingIsNull) return null
    throw error
  }
}

/** Whether the aggregate takes the arguments; those that it doesn't take fail the record, or are passed over. */
function takes(aggregate: AggregateNode, input: Input | undefined, failingIsNull: boolean): boolean {
  if (input === undefined) return false
  try {
    checkArguments(aggregate, input)
    return isInput(aggregate, input.args)
  } catch (error) {
    if (error instanceof RowError && failingIsNull) return false
    throw error
  }
}

function readGroups(
  { groups: expressions, outputs, having }: Rollup,
  groups: ReadonlyMap<string, Group>,
): Pick<NaiveAnswer, 'rows' | 'havingErrors' | 'certainHavingErrors'> {
  const regrouped = outputs.map(({ name, node }) => ({ name, node: regroup(node, expressions) }))
  const condition = having === null ? null : regroup(having, expressions)
  const rows: NaiveRow[] = []
  const havingErrors: string[] = []
  let certainHavingErrors = 0
  for (const group of groups.values()) {
    const at = groupSurroundings(group)
    if (condition !== null) {
      const { truth, code, certain } = judge(condition, at)
      if (code !== undefined) havingErrors.push(code)
      if (certain) certainHavingErrors++
      if (!truth) continue
    }
    rows.push(toRow(regrouped, at))
  }
  return { rows, havingErrors, certainHavingErrors }
}

function groupSurroundings(group: Group): Surroundings {
  const finished = new Map<string, Value>()
  const leaf = (node: Node): Value => {
    if (node.kind === 'group') return group.values[node.index] ?? null
    if (node.kind === 'grouping')
      return groupingOf(
        node.args.map(({ index }) => index),
        group.set,
      )
    if (node.kind !== 'aggregate') throw new Error(`a group has no ${node.kind}`)
    const text = printNode(node)
    if (!finished.has(text)) finished.set(text, finalize(node, group.inputs.get(text) ?? []))
    return finished.get(text) ?? null
  }
  return { notes: { kindMismatch: false }, leaf, failingIsNull: false, throughKeys: true }
}

/**
 * HAVING of a group. What can't fail may be looked at before what can, so an error beside a condition that hides the group
 * is told or not.
 */
function judge(
  having: Node,
  at: Surroundings,
): { readonly truth: boolean; readonly code?: string; readonly certain: boolean } {
  try {
    return { truth: truthOf(evaluate(having, at), at.notes) === true, certain: false }
  } catch (error) {
    if (!(error instanceof RowError)) throw error
    const certain = !conjunctsOf(having).some((part) => isPlainlyUntrue(part, at))
    return { truth: false, code: error.code, certain }
  }
}

function conjunctsOf(condition: Node): readonly Node[] {
  return condition.kind === 'and' ? condition.args.flatMap(conjunctsOf) : [condition]
}

function isPlainlyUntrue(condition: Node, at: Surroundings): boolean {
  try {
    return truthOf(evaluate(condition, at), at.notes) !== true
  } catch (error) {
    if (error instanceof RowError) return false
    throw error
  }
}

function toRow(outputs: Rollup['outputs'], at: Surroundings): NaiveRow {
  const errors: string[] = []
  const values = outputs.map(({ name, node }) => {
    try {
      return evaluate(node, at)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      errors.push(`${name} ${error.code}`)
      return null
    }
  })
  const cells = outputs.map(({ name }, index) => `${JSON.stringify(name)}:${showValue(values[index] ?? null)}`)
  return { text: `{${cells.join(',')}}`, errors: errors.toSorted(), values }
}
