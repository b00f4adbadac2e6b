/**
 * Owns the property at the heart: a rollup, split and merged however its records arrive, is the plain query over them. Its rows are the
 * same bytes for any arrival; its answer, through the real query path, is what the naive evaluator says.
 */
import { BETWEEN, type Coverage } from './coverage.ts'
import { plan, type Answer, type LeafBench, type Stored } from './leaf-run.ts'
import { groupingOf, setsOf } from './grouping-style.ts'
import { evaluateRollup, type NaiveAnswer } from './naive-evaluator.ts'
import { randomOf, type Property } from './property-run.ts'
import { printRollup, randomCase, type SqlCase } from './random-case.ts'
import { smallerCases } from './smaller.ts'
import { regroup } from './regroup.ts'
import { childrenOf, someNode, type Node } from './syntax.ts'

/** Weak ids, so that groups share them in some runs. */
const WEAK_ID_BITS = 3
/** An answer lists so many errors at most. */
const ERRORS_MAX = 100

export function splitProperty(bench: LeafBench, coverage: Coverage): Property<SqlCase> {
  return {
    name: 'a rollup is the plain query, however its records arrive',
    make: randomCase,
    check: (sample, seed) => checkCase(bench, coverage, sample, seed),
    smaller: smallerCases,
    show: showCase,
  }
}

export function showCase({ rollup, groupStyle, records }: SqlCase): string {
  const lines = records.map(
    ({ partition, offset, timestampMs, key, text }) =>
      `  ${partition}:${offset} ${timestampMs === -1 ? '' : `at ${timestampMs} `}${key === null ? '' : `key ${JSON.stringify(key)} `}${text}`,
  )
  return [`on_error ${rollup.onError}`, printRollup({ rollup, groupStyle }), ...lines].join('\n')
}

function checkCase(bench: LeafBench, coverage: Coverage, sample: SqlCase, seed: number): void {
  const { rollup, records } = sample
  const rollupPlan = plan(printRollup(sample))
  const nodes = [...rollup.groups, ...rollup.outputs.map(({ node }) => node), rollup.where, rollup.having]
  const hasBetween = nodes.some((node) => node !== null && someNode(node, ({ kind }) => kind === 'between'))
  coverage.add([rollupPlan], hasBetween ? [BETWEEN] : [])
  checkTypes(sample, rollupPlan.wrap.outputs)
  const random = randomOf(seed)
  // a record that is accepted after it has halted its shard is a dead letter like others
  const halts = rollup.onError === 'dead_letter' && random.chance(0.2)
  const options = {
    onError: halts ? 'halt' : rollup.onError,
    // the groups that are there before the first record are made by the leaf, with their full id
    ...(setsOf(rollup.grouping ?? 'plain', rollup.groups.length).every((set) => set.length > 0) && random.chance(0.2)
      ? { idBits: WEAK_ID_BITS }
      : {}),
  }
  const whole = bench.withRollup(rollupPlan, records, 'whole', { onError: rollup.onError }, (name) =>
    bench.stored(name),
  )
  const expected = evaluateRollup(rollup, records)
  bench.withRollup(rollupPlan, records, { random, restartChance: 0 }, options, (name) => {
    const stored = bench.stored(name)
    checkSame(stored, whole, options.idBits !== undefined)
    checkCounts(stored, expected)
    checkAnswer(bench.query(`SELECT * FROM ${name}`), expected, name)
    checkMeasures(bench, sample, expected, name)
  })
}

function checkTypes({ rollup }: SqlCase, outputs: readonly { readonly type: string }[]): void {
  const own = rollup.outputs.map(({ node }) => regroup(node, rollup.groups).type)
  expectEqual(
    outputs.map(({ type }) => type),
    own,
    'types of the outputs',
  )
}

/** Bytes of the rows; the ids differ where they are weak. */
export function checkSame(stored: Stored, whole: Stored, weak: boolean): void {
  const plain = (rows: readonly string[]): string[] =>
    rows.map((row) => (weak ? row.replace(/ id=\S+/, '') : row)).toSorted()
  expectEqual(plain(stored.rows), plain(whole.rows), 'rows after random batches, against one batch')
  expectEqual({ ...stored, rows: [] }, { ...whole, rows: [] }, 'counts after random batches, against one batch')
}

function checkCounts(stored: Stored, expected: NaiveAnswer): void {
  const letters = expected.deadLetters.map(({ partition, offset, code }) => `${partition}:${offset} ${code}`)
  expectEqual(stored.deadLetters, letters.toSorted(), 'dead letters, against the naive evaluator')
  const { aggregated, filtered, kindMismatches } = expected
  expectEqual(
    [stored.aggregated, stored.filtered, stored.kindMismatches, stored.groups],
    [aggregated, filtered, kindMismatches, expected.groupCount],
    'aggregated, filtered, kind mismatches, groups, against the naive evaluator',
  )
}

function checkAnswer({ lines, errors }: Answer, expected: NaiveAnswer, name: string): void {
  const cells = Map.groupBy(
    errors.filter(({ row }) => row !== undefined),
    ({ row }) => row as number,
  )
  const all = errors.length < ERRORS_MAX
  const rows = lines.map((text, index) => {
    const codes = (cells.get(index) ?? []).map(({ column, code }) => `${column} ${code}`).toSorted()
    return all && codes.length > 0 ? `${text} errors: ${codes.join(', ')}` : text
  })
  const wanted = expected.rows.map((row) =>
    all && row.errors.length > 0 ? `${row.text} errors: ${row.errors.join(', ')}` : row.text,
  )
  expectEqual(rows.toSorted(), wanted.toSorted(), 'the answer, against the naive evaluator')
  const having = errors.filter(({ row }) => row === undefined)
  const told = having.map(({ code }) => code)
  const strangers = told.filter((code) => !expected.havingErrors.includes(code))
  if (
    all &&
    (strangers.length > 0 || told.length < expected.certainHavingErrors || told.length > expected.havingErrors.length)
  ) {
    throw new Error(`errors of HAVING of ${name}: ${told.join(', ')}; naive: ${expected.havingErrors.join(', ')}`)
  }
}

/** All groups merged again: the outputs over aggregates alone are those of one group. */
function checkMeasures(
  bench: LeafBench,
  { rollup, records }: SqlCase,
  { deadLetters }: NaiveAnswer,
  name: string,
): void {
  const outputs = rollup.outputs.filter(({ node }) => isOfAggregates(regroup(node, rollup.groups)))
  if (rollup.groups.length === 0 || outputs.length === 0) return
  const dead = new Set(deadLetters.map(({ partition, offset }) => `${partition}:${offset}`))
  const living = records.filter(({ partition, offset }) => !dead.has(`${partition}:${offset}`))
  const expected = evaluateRollup({ ...rollup, groups: [], outputs, having: null }, living)
  const measures = outputs.map((output) => `MEASURE(${output.name}) AS ${output.name}`).join(', ')
  const statement = `SELECT ${measures} FROM unfiltered(${name})${oneSetOf(rollup)}`
  checkAnswer(bench.query(statement), expected, `MEASURE over ${name}`)
}

/** A condition that leaves one grouping set: each has all records. Some set is written once in every style. */
function oneSetOf({ grouping = 'plain', groups }: SqlCase['rollup']): string {
  const sets = setsOf(grouping, groups.length)
  if (sets.length === 1) return ''
  const all = groups.map((_, index) => index)
  const bits = sets
    .map((set) => groupingOf(all, set))
    .filter((own, _, every) => every.indexOf(own) === every.lastIndexOf(own))
  return ` WHERE _grouping = ${bits.at(-1)}`
}

/** Made of aggregates, without a grouping value. */
export function isOfAggregates(node: Node): boolean {
  const inside = (part: Node): Node[] =>
    part.kind === 'aggregate' ? [part] : [part, ...childrenOf(part).flatMap(inside)]
  const parts = inside(node)
  return (
    parts.some(({ kind }) => kind === 'aggregate') && !parts.some(({ kind }) => kind === 'group' || kind === 'grouping')
  )
}

/** Lists of texts are told by what only one of the two has. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value))
  if (left === right) return
  const [more, less] = [onlyIn(actual, expected), onlyIn(expected, actual)]
  throw new Error(`${what}:\n${more ?? left}\nexpected:\n${less ?? right}`)
}

function onlyIn(list: unknown, other: unknown): string | undefined {
  if (!isTexts(list) || !isTexts(other) || list.toSorted().join() === other.toSorted().join()) return undefined
  const rest = [...other]
  return list
    .filter((text) => {
      const at = rest.indexOf(text)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
    .join('\n')
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
