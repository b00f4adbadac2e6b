/**
 * Owns a rollup as a plain query, a record at a time: WHERE, groups, aggregates over lists of values, outputs, HAVING. Simple on
 * purpose: it keeps every value, and calls nothing of rollupd's evaluators. Written from sql.md.
 */
import type { OnError } from '../../src/core/policy.ts'
import { evaluate, fromKey, recordLeaf, type SourceRecord, type Surroundings } from './naive-expressions.ts'
import { compareValues } from './naive-compare.ts'
import { truthOf } from './naive-functions.ts'
import { printNode } from './print-syntax.ts'
import { approximatePercentile, bucketMiddle } from './naive-percentile.ts'
import { regroup } from './regroup.ts'
import { childrenOf, type AggregateNode, type Node } from './syntax.ts'
import {
  Decimal,
  Json,
  keyOf,
  kindOf,
  normalize,
  RowError,
  showValue,
  Time,
  toDecimal,
  isNumber,
  type NumberValue,
  type Value,
} from './value.ts'

export interface Rollup {
  readonly groups: readonly Node[]
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
  readonly values: readonly Value[]
  /** By the aggregate's text. */
  readonly inputs: Map<string, Value[]>
  records: number
}

export function evaluateRollup(rollup: Rollup, records: readonly SourceRecord[]): NaiveAnswer {
  const aggregates = aggregatesOf(rollup)
  const groups = new Map<string, Group>()
  if (rollup.groups.length === 0) groups.set(JSON.stringify([]), { values: [], inputs: new Map(), records: 0 })
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
  { groups: expressions, where, onError }: Rollup,
  aggregates: readonly AggregateNode[],
  record: SourceRecord,
  groups: Map<string, Group>,
  notes: Surroundings['notes'],
): boolean {
  const failingIsNull = onError === 'null'
  const at: Surroundings = { notes, leaf: recordLeaf(record), failingIsNull, throughKeys: false }
  const holds = (condition: Node | null): boolean =>
    condition === null || truthOf(evaluate(condition, at), notes) === true
  if (!holds(where)) return false
  const evaluated = expressions.map((expression) => evaluate(expression, at))
  const values = evaluated.map((value) => keyed(value, failingIsNull))
  const conditions = aggregates.map(({ filter }) => holds(filter))
  const inputs = aggregates.map(({ argument }, index) => {
    if (!conditions[index]) return undefined
    return argument === null ? true : evaluate(argument, at)
  })
  const taken = aggregates.map((aggregate, index) => takes(aggregate, inputs[index], failingIsNull))
  const key = JSON.stringify(values.map(keyOf))
  const group: Group = groups.get(key) ?? { values, inputs: new Map(), records: 0 }
  groups.set(key, group)
  group.records++
  for (const [index, aggregate] of aggregates.entries()) {
    const text = printNode(aggregate)
    const list = group.inputs.get(text) ?? []
    group.inputs.set(text, list)
    const input = inputs[index]
    if (taken[index] === true && input !== undefined && input !== null) list.push(input)
  }
  return true
}

/** A value that no key holds fails, or is NULL. */
function keyed(value: Value, failingIsNull: boolean): Value {
  try {
    keyOf(value)
    return value
  } catch (error) {
    if (error instanceof RowError && failingIsNull) return null
    throw error
  }
}

/** Whether the aggregate takes the value; one that it doesn't take fails the record, or is passed over. */
function takes({ name, distinct, argument }: AggregateNode, input: Value | undefined, failingIsNull: boolean): boolean {
  if (input === undefined || input === null) return true
  try {
    const isOfNumbers = name === 'sum' || name === 'avg' || name === 'approx_percentile'
    if (isOfNumbers && !isNumber(input)) throw new RowError('wrong_kind')
    if (name === 'approx_percentile') bucketMiddle(input as NumberValue)
    // arrays and objects have no least one, and of undeclared values times have none either
    const isExtreme = (name === 'min' || name === 'max') && argument?.type === 'any'
    if (isExtreme && (input instanceof Json || input instanceof Time)) throw new RowError('wrong_kind')
    if (name === 'approx_distinct' || distinct) keyOf(input)
    return true
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

function finalize({ name, distinct, type, argument, parameter = 0 }: AggregateNode, inputs: readonly Value[]): Value {
  switch (name) {
    case 'count':
      return BigInt(distinct ? new Set(inputs.map(keyOf)).size : inputs.length)
    case 'approx_distinct':
      return BigInt(new Set(inputs.map(keyOf)).size)
    case 'approx_percentile':
      return approximatePercentile(inputs as NumberValue[], parameter)
    case 'sum':
      return sumOf(inputs as NumberValue[], type === 'double precision')
    case 'avg':
      return averageOf(inputs as NumberValue[])
    case 'min':
    case 'max':
      return fromKey(extremeOf(inputs, name === 'max' ? 1 : -1, argument?.type === 'any'), type)
    default:
      throw new Error(`the naive evaluator has no aggregate ${name}`)
  }
}

/** The exact total of what is finite; undefined where NaN or infinities decide, which `special` is then. */
function totalOf(inputs: readonly NumberValue[]): { readonly total: Decimal; readonly special: number | undefined } {
  let total = new Decimal(0n, 0)
  let special: number | undefined
  for (const input of inputs) {
    if (typeof input === 'number' && !Number.isFinite(input)) special = (special ?? 0) + input
    else {
      const { unscaled, scale } = toDecimal(input)
      const common = Math.max(scale, total.scale)
      const at = (value: bigint, own: number): bigint => value * 10n ** BigInt(common - own)
      total = new Decimal(at(total.unscaled, total.scale) + at(unscaled, scale), common)
    }
  }
  return { total, special }
}

function sumOf(inputs: readonly NumberValue[], isDouble: boolean): Value {
  if (inputs.length === 0) return null
  const { total, special } = totalOf(inputs)
  const holdsDouble = isDouble || inputs.some((input) => typeof input === 'number')
  if (!holdsDouble) {
    const exact = normalize(total)
    return exact.scale === 0 ? exact.unscaled : exact
  }
  return special ?? finite(nearestQuotient(total, 1n))
}

function averageOf(inputs: readonly NumberValue[]): Value {
  if (inputs.length === 0) return null
  const { total, special } = totalOf(inputs)
  return special ?? finite(nearestQuotient(total, BigInt(inputs.length)))
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RowError('sum_out_of_range')
  return value
}

/** More digits than any border between two doubles has. */
const QUOTIENT_DIGITS = 1_200

/** By the language's reader of decimals, which rounds once: the quotient's digits, and one more where a rest is left. */
function nearestQuotient({ unscaled, scale }: Decimal, divisor: bigint): number {
  const scaled = unscaled * 10n ** BigInt(QUOTIENT_DIGITS)
  const quotient = scaled / divisor
  const rest = quotient * divisor === scaled ? '0' : '1'
  return Number(`${quotient}${rest}e-${QUOTIENT_DIGITS + scale + 1}`) + 0
}

function extremeOf(inputs: readonly Value[], direction: number, undeclared: boolean): Value {
  const kinds = new Set(inputs.map(kindOf))
  if (undeclared && kinds.size > 1) throw new RowError('mixed_kinds')
  let best: Value = null
  for (const input of inputs) {
    if (best === null || (compareValues(input, best) ?? 0) * direction > 0) best = input
  }
  return best
}
