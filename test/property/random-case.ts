/** Owns random cases: a rollup statement, records for it, and how they arrive. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import type { Rollup } from './naive-evaluator.ts'
import { GROUPING_STYLES, printGrouping } from './grouping-style.ts'
import type { SourceRecord } from './naive-expressions.ts'
import type { Dialect } from './dialect.ts'
import { FEATURES, RandomExpressions, VALUE_TYPES, type FieldInfo } from './random-expressions.ts'
import { FLAVOURS, printJson, randomValue, type Flavour } from './random-values.ts'
import { printNode } from './print-syntax.ts'
import { someNode, type Node } from './syntax.ts'
import type { JsonNode, JsonObject } from './value.ts'

export interface SqlCase {
  readonly rollup: Rollup
  /** How GROUP BY names the groups. */
  readonly groupStyle: 'expression' | 'ordinal'
  /** In the order of their offsets in each partition. */
  readonly records: readonly SourceRecord[]
}

const SCALAR_NAMES = ['a', 'b', 'c', 'd', 'e', 'user id', 'É', 'order']
const RECORDS_MAX = 30
const PARTITIONS_MAX = 3
/** Features that a case is asked to have: enough that each comes up often, few enough that statements stay readable. */
const FEATURES_ASKED = 14
const DEPTH = 3

export function randomCase(random: SeededRandom): SqlCase {
  const fields = randomFields(random)
  const rollup = randomRollup(random, fields)
  return { rollup, groupStyle: random.chance(0.5) ? 'ordinal' : 'expression', records: randomRecords(random, fields) }
}

/** Scalars at the top, an object `o` with x and y, an array `t`; each with what it mostly holds. */
export function randomFields(random: SeededRandom): FieldInfo[] {
  const usual = FLAVOURS.filter((flavour) => flavour !== 'object' && flavour !== 'array')
  const flavour = (): Flavour => random.pick(usual)
  return [
    ...SCALAR_NAMES.map((name) => ({ path: [name], flavour: flavour() })),
    { path: ['o', 'x'], flavour: flavour() },
    { path: ['o', 'y'], flavour: flavour() },
    { path: ['t', 0], flavour: flavour() },
    { path: ['o'], flavour: 'object' },
    { path: ['t'], flavour: 'array' },
  ]
}

export function randomRollup(random: SeededRandom, fields: readonly FieldInfo[], dialect?: Dialect): Rollup {
  const ground = { fields, ...(dialect === undefined ? {} : { dialect }) }
  const types = dialect?.types ?? VALUE_TYPES
  const overRecords = new RandomExpressions(random, { ...ground, groups: undefined })
  const asked = Array.from({ length: FEATURES_ASKED }, () => random.pick(FEATURES))
  const groups = randomGroups(random, overRecords, random.pick([0, 1, 1, 2, 2, 3]), types, asked)
  const overGroups = new RandomExpressions(random, { ...ground, groups })
  const groupNodes = groups.map((expression, index) => {
    return { kind: 'group', type: expression.type, index, expression } as const
  })
  const outputs: Node[] = groupNodes.filter(() => random.chance(0.9))
  const grouping = groups.length === 0 || random.chance(0.5) ? 'plain' : random.pick(GROUPING_STYLES)
  if (groups.length > 0 && random.chance(grouping === 'plain' ? 0.1 : 0.6)) {
    const args = random.chance(0.5) ? groupNodes : [...groupNodes.toReversed(), random.pick(groupNodes)]
    outputs.push({ kind: 'grouping', type: 'bigint', args })
  }
  outputs.push({ kind: 'aggregate', name: 'count', distinct: false, type: 'bigint', argument: null, filter: null })
  for (const feature of asked) outputs.push(...outputWith(random, feature, overRecords, overGroups))
  if (random.chance(0.5)) outputs.push(overGroups.ofType(random.pick(types), DEPTH))
  return {
    groups,
    grouping,
    outputs: outputs.map((node, index) => ({ name: `c${index}`, node })),
    where: random.chance(0.3) ? overRecords.condition(2) : null,
    having: random.chance(0.3) ? overGroups.condition(2) : null,
    onError: dialect !== undefined || random.chance(0.6) ? 'dead_letter' : 'null',
  }
}

/** Grouping expressions; features that are `asked` for are taken from the list. */
export function randomGroups(
  random: SeededRandom,
  overRecords: RandomExpressions,
  count: number,
  types: readonly ScalarType[],
  asked: string[],
): Node[] {
  const groups: Node[] = []
  while (groups.length < count) {
    const feature = random.chance(0.6) ? asked.pop() : undefined
    const node =
      feature === undefined ? overRecords.ofType(random.pick(types), DEPTH) : overRecords.withFeature(feature, DEPTH)
    // a constant is no grouping value, an expression counts once
    if (node === undefined || !isGroupingValue(node)) continue
    // engines keep any of equal intervals, we their span
    if (node.type === 'interval' && overRecords.isForEngine) continue
    if (groups.every((other) => printNode(other) !== printNode(node))) groups.push(node)
  }
  return groups
}

/** The feature over groups, or inside an aggregate; none where it can't be. */
function outputWith(
  random: SeededRandom,
  feature: string,
  overRecords: RandomExpressions,
  overGroups: RandomExpressions,
): Node[] {
  const argument = random.chance(0.4) ? overRecords.withFeature(feature, 2) : undefined
  // a jsonb has no greatest
  if (argument?.type === 'jsonb')
    return [{ kind: 'aggregate', name: 'count', distinct: true, type: 'bigint', argument, filter: null }]
  if (argument !== undefined && !(argument.type === 'interval' && overRecords.isForEngine))
    return [{ kind: 'aggregate', name: 'max', distinct: false, type: argument.type, argument, filter: null }]
  const output = overGroups.withFeature(feature, 2)
  return output === undefined ? [] : [output]
}

/** A constant is none. */
export function isGroupingValue(node: Node): boolean {
  return someNode(node, ({ kind }) => kind === 'field' || kind === 'meta')
}

/** The statement's text. */
export function printRollup({ rollup, groupStyle }: Pick<SqlCase, 'rollup' | 'groupStyle'>): string {
  const { groups, grouping = 'plain', outputs, where, having } = rollup
  const items = groups.map((group, index) => {
    const output = outputs.findIndex(({ node }) => node.kind === 'group' && node.index === index)
    return groupStyle === 'ordinal' && output >= 0 ? String(output + 1) : printNode(group)
  })
  return [
    `SELECT ${outputs.map(({ name, node }) => `${printNode(node)} AS ${name}`).join(', ')} FROM _input`,
    ...(where === null ? [] : [`WHERE ${printNode(where)}`]),
    ...(items.length === 0 ? [] : [`GROUP BY ${printGrouping(grouping, items)}`]),
    ...(having === null ? [] : [`HAVING ${printNode(having)}`]),
  ].join(' ')
}

/** Records whose fields take few values each, so that groups meet. */
export function randomRecords(random: SeededRandom, fields: readonly FieldInfo[]): SourceRecord[] {
  const pools = new Map(
    fields.map(({ path, flavour }) => [
      JSON.stringify(path),
      Array.from({ length: 1 + random.below(6) }, () => randomValue(random, flavour)),
    ]),
  )
  const next = Array.from({ length: 1 + random.below(PARTITIONS_MAX) }, () => 0)
  return Array.from({ length: random.below(RECORDS_MAX + 1) }, () => {
    const partition = random.below(next.length)
    const offset = next[partition] as number
    // an offset without a record, as in a compacted topic
    next[partition] = offset + (random.chance(0.1) ? 2 : 1)
    return randomRecord(random, pools, partition, offset)
  })
}

const TIMESTAMPS = [-1, 0, 1, -62_135_596_800_000, -86_400_000, 1_767_225_600_123, 1_700_000_000_000]
const BROKEN: readonly (readonly [string, string])[] = [
  ['{"a":1', 'invalid_json'],
  ['{"a":01}', 'invalid_json'],
  ['[1]', 'not_an_object'],
  ['3', 'not_an_object'],
  ['', 'empty_value'],
]
const MISSING_CHANCE = 0.07

function randomRecord(
  random: SeededRandom,
  pools: ReadonlyMap<string, readonly JsonNode[]>,
  partition: number,
  offset: number,
): SourceRecord {
  const common = {
    partition,
    offset,
    timestampMs: random.pick(TIMESTAMPS),
    key: random.chance(0.2) ? null : random.pick(['k', 'K2', 'é', '']),
  }
  if (random.chance(0.02)) {
    const [text, brokenCode] = random.pick(BROKEN)
    return { ...common, value: undefined, text, brokenCode }
  }
  const valueOf = (path: FieldInfo['path']): JsonNode => random.pick(pools.get(JSON.stringify(path)) ?? [null])
  const members: [string, JsonNode][] = []
  const add = (name: string, value: JsonNode): void => {
    if (random.chance(MISSING_CHANCE)) return
    members.push([name, random.chance(MISSING_CHANCE) ? null : value])
    // a key twice: the last one counts
    if (random.chance(0.01)) members.push([name, value])
  }
  for (const name of SCALAR_NAMES) add(name, valueOf([name]))
  const odd = random.chance(0.15)
  add('o', odd ? valueOf(['o']) : { members: ['x', 'y'].map((name) => [name, valueOf(['o', name])]) })
  add('t', odd ? valueOf(['t']) : { elements: [valueOf(['t', 0]), valueOf(['a'])].slice(0, 1 + random.below(2)) })
  const value: JsonObject = { members: random.chance(0.3) ? members.toReversed() : members }
  return { ...common, value, text: printJson(value, random) }
}
