/**
 * Owns the property that both evaluators are one: a call of the function table as a grouping value at ingest, and the same call in a
 * query over its stored arguments, as a value and in WHERE. Both against the naive evaluator too, which knows what a value loses in a key (docs/adr/0004).
 */
import { functionById } from '../../src/sql/function-table.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import type { Coverage } from './coverage.ts'
import { plan, type LeafBench } from './leaf-run.ts'
import type { Notes } from './naive-call.ts'
import { canonical } from './naive-intervals.ts'
import { evaluate, fromKey, recordLeaf, type SourceRecord } from './naive-expressions.ts'
import type { Property } from './property-run.ts'
import { randomFields, randomRecords } from './random-case.ts'
import { RandomExpressions } from './random-expressions.ts'
import { FUNCTION_IDS } from './signatures.ts'
import { smallerLists, smallerNodes } from './smaller.ts'
import { expectEqual } from './split-property.ts'
import { printNode } from './print-syntax.ts'
import { childrenOf, mapChildren, someNode, type FieldNode, type Node } from './syntax.ts'
import { RowError, showValue, type Value } from './value.ts'

export interface CallCase {
  readonly node: Node
  readonly records: readonly SourceRecord[]
}

/** Each id in turn; `first` is where a seed begins among them. */
export function evaluatorsProperty(bench: LeafBench, coverage: Coverage): Property<CallCase> {
  return {
    name: 'a call gives the same at ingest and in a query',
    make: randomCall,
    check: (sample) => checkCall(bench, coverage, sample),
    smaller: smallerCalls,
    show: ({ node, records }) => [printNode(node), ...records.map(({ text }) => `  ${text}`)].join('\n'),
  }
}

const DEPTH = 2

function randomCall(random: SeededRandom): CallCase {
  const fields = randomFields(random)
  const expressions = new RandomExpressions(random, { fields, groups: undefined })
  for (;;) {
    const node = expressions.withFeature(random.pick(FUNCTION_IDS), DEPTH)
    if (node === undefined || !readsFields(node)) continue
    const records = randomRecords(random, fields).filter(
      ({ value, partition }) => value !== undefined && partition === 0,
    )
    return { node, records }
  }
}

function readsFields(node: Node): boolean {
  return someNode(node, ({ kind }) => kind === 'field') && !someNode(node, ({ kind }) => kind === 'meta')
}

function* smallerCalls({ node, records }: CallCase): Generator<CallCase> {
  for (const fewer of smallerLists(records)) yield { node, records: fewer }
  for (const smaller of smallerNodes(node, false)) {
    if (smaller.kind !== 'literal' && smaller.kind !== 'field' && readsFields(smaller)) yield { node: smaller, records }
  }
}

/** What stands directly around fields: the fields, or their casts; each is a stored column. */
function columnsOf(node: Node): Node[] {
  const found = new Map<string, Node>()
  const visit = (part: Node): void => {
    if (isStored(part)) found.set(printNode(part), part)
    else childrenOf(part).forEach(visit)
  }
  childrenOf(node).forEach(visit)
  return [...found.values()]
}

function isStored(node: Node): boolean {
  if (node.kind === 'field') return true
  return node.kind === 'call' && functionById(node.id).form === 'cast' && node.args[0]?.kind === 'field'
}

/** The call over the stored columns k0, k1, ... */
function overColumns(node: Node, columns: readonly Node[]): Node {
  const texts = columns.map((column) => printNode(column))
  const replace = (part: Node): Node => {
    const index = isStored(part) ? texts.indexOf(printNode(part)) : -1
    const column = columns[index]
    if (column === undefined) return mapChildren(part, replace)
    return { kind: 'group', index, type: column.type, expression: { kind: 'field', type: 'any', path: [`k${index}`] } }
  }
  return mapChildren(node, replace)
}

const printColumn = (leaf: { readonly kind: string; readonly path?: FieldNode['path'] }): string =>
  String(leaf.path?.[0])

function checkCall(bench: LeafBench, coverage: Coverage, { node, records }: CallCase): void {
  const columns = columnsOf(node)
  const offset = '_meta.offset AS o'
  const selected = columns.map((column, index) => `, ${printNode(column)} AS k${index}`).join('')
  const ordinals = ['1', ...columns.map((_, index) => String(index + 2))].join(', ')
  const stored = plan(`SELECT ${offset}${selected} FROM _input GROUP BY ${ordinals}`)
  const called = plan(`SELECT ${offset}, ${printNode(node)} AS v FROM _input GROUP BY 1, 2`)
  coverage.add([called])
  const options = { onError: 'dead_letter' } as const
  const atIngest = bench.withRollup(called, records, 'whole', options, (name) => ({
    ...bench.query(`SELECT o, v FROM ${name} ORDER BY o`),
    deadLetters: bench.stored(name).deadLetters,
  }))
  const reading = overColumns(node, columns)
  const text = printNode(reading, printColumn)
  const { inQuery, inCondition } = bench.withRollup(stored, records, 'whole', options, (name) => ({
    inQuery: bench.query(`SELECT o, ${text} AS v FROM ${name} ORDER BY o`),
    inCondition:
      node.type === 'boolean' ? bench.query(`SELECT o FROM ${name} WHERE ${text} ORDER BY o`).lines : undefined,
  }))
  const lines = [...atIngest.lines, ...atIngest.deadLetters.map(deadLine)]
  const naive = records.map((record) => {
    const noted = notes()
    return {
      ingest: naiveLine(record, () =>
        canonical(evaluate(node, { ...AT_INGEST, notes: noted, leaf: recordLeaf(record) })),
      ),
      query: naiveLine(record, () => readNaively(record, columns, reading, noted)),
      mayDiffer:
        noted.unevenNumber === true ||
        (noted.longDouble === true && someNode(node, ({ type }) => type === 'numeric')) ||
        // a stored interval has lost its months
        someNode(node, ({ type }) => type === 'interval'),
    }
  })
  expectEqual(lines.toSorted(), naive.map(({ ingest }) => ingest).toSorted(), `ingest, against the naive evaluator`)
  const read = naive.filter((_, index) => isReadable(records[index] as SourceRecord, columns))
  expectEqual(queryLines(inQuery), read.map(({ query }) => query).toSorted(), 'the query, against the naive evaluator')
  if (inCondition !== undefined) {
    const holding = read
      .filter(({ query }) => query.endsWith('"v":true}'))
      .map(({ query }) => `${query.slice(0, -10)}}`)
    expectEqual(inCondition.toSorted(), holding.toSorted(), 'the query with it in WHERE, against the naive evaluator')
  }
  for (const [index, { ingest, query, mayDiffer }] of naive.entries()) {
    if (ingest !== query && isReadable(records[index] as SourceRecord, columns) && !mayDiffer)
      throw new Error(`ingest and query differ: ingest ${ingest}, query ${query}`)
  }
}

const AT_INGEST = { failingIsNull: false, throughKeys: false }
const notes = (): Notes => ({ kindMismatch: false })

/** `offset code` of a dead letter, as a line. */
function deadLine(letter: string): string {
  const [place = '', code = ''] = letter.split(' ')
  return failedLine(place.split(':')[1] ?? '', code)
}

function failedLine(offset: number | string, code: string): string {
  return `${offset} has ${code}`
}

function naiveLine({ offset }: SourceRecord, compute: () => Value): string {
  try {
    return `{"o":${offset},"v":${showValue(compute())}}`
  } catch (error) {
    if (error instanceof RowError) return failedLine(offset, error.code)
    throw error
  }
}

function storedValues(record: SourceRecord, columns: readonly Node[]): Value[] {
  const at = { ...AT_INGEST, notes: notes(), leaf: recordLeaf(record) }
  return columns.map((column) => {
    const value = evaluate(column, at)
    // what no key holds is no grouping value
    showValue(value)
    return canonical(fromKey(value, column.type))
  })
}

function isReadable(record: SourceRecord, columns: readonly Node[]): boolean {
  try {
    storedValues(record, columns)
    return true
  } catch (error) {
    if (error instanceof RowError) return false
    throw error
  }
}

function readNaively(record: SourceRecord, columns: readonly Node[], reading: Node, noted: Notes): Value {
  const values = storedValues(record, columns)
  const leaf = (part: Node): Value => (part.kind === 'group' ? (values[part.index] ?? null) : null)
  return evaluate(reading, { notes: noted, leaf, failingIsNull: false, throughKeys: true })
}

function queryLines({ lines, errors }: ReturnType<LeafBench['query']>): string[] {
  const failed = new Map(errors.map(({ row, code }) => [row, code]))
  return lines
    .map((line, index) => {
      const code = failed.get(index)
      return code === undefined ? line : failedLine(String((JSON.parse(line) as { o: number }).o), code)
    })
    .toSorted()
}
