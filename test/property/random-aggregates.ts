/** Owns random rollups for properties of states: every grouping value is selected, and each aggregate comes up as often as any other. */
import { AGGREGATES } from '../../src/aggregates/aggregate-table.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { aggregateId } from './coverage.ts'
import { randomFields, randomGroups, randomRecords, type SqlCase } from './random-case.ts'
import { RandomExpressions, VALUE_TYPES } from './random-expressions.ts'
import type { Node } from './syntax.ts'

const AGGREGATES_MAX = 6
/** Of an aggregate's arguments. */
const DEPTH = 2

/** Outputs are the grouping values, then aggregate calls and expressions over them. `isFit`: which aggregates, by name. */
export function randomAggregatesCase(random: SeededRandom, isFit: (name: string) => boolean): SqlCase {
  const fields = randomFields(random)
  const groups = randomGroups(
    random,
    new RandomExpressions(random, { fields, groups: undefined }),
    random.pick([1, 2, 2, 3]),
    VALUE_TYPES,
    [],
  )
  const overAggregates = new RandomExpressions(random, { fields, groups: [] })
  const fit = AGGREGATES.filter(({ name }) => isFit(name))
  const outputs: Node[] = groups.map((expression, index) => ({
    kind: 'group',
    type: expression.type,
    index,
    expression,
  }))
  for (let count = 1 + random.below(AGGREGATES_MAX); count > 0; count--) {
    const { name, form } = random.pick(fit)
    const node = overAggregates.withFeature(aggregateId(name, form === 'distinct'), DEPTH)
    if (node !== undefined) outputs.push(node)
  }
  return {
    rollup: {
      groups,
      outputs: outputs.map((node, index) => ({ name: `c${index}`, node })),
      where: null,
      having: random.chance(0.2) ? overAggregates.condition(2) : null,
      onError: random.chance(0.5) ? 'dead_letter' : 'null',
    },
    groupStyle: 'expression',
    records: randomRecords(random, fields),
  }
}
