/** Owns the forms of GROUP BY in the properties: how each is written, and which sets of the groups it means. */

export const GROUPING_STYLES = ['plain', 'rollup', 'cube', 'mixed', 'sets'] as const
export type GroupingStyle = (typeof GROUPING_STYLES)[number]

/** Indexes of the groups of each set. */
export function setsOf(style: GroupingStyle, count: number): number[][] {
  const all = Array.from({ length: count }, (_, index) => index)
  const prefixes = (from: number): number[][] =>
    Array.from({ length: count - from + 1 }, (_, less) => all.slice(0, count - less))
  if (count === 0) return [[]]
  switch (style) {
    case 'plain':
      return [all]
    case 'rollup':
      return prefixes(0)
    case 'mixed':
      return prefixes(1)
    case 'cube':
      return Array.from({ length: 2 ** count }, (_, bits) => all.filter((index) => (bits >> index) & 1))
    case 'sets':
      return [all, [0], [], [0], [count - 1]]
  }
}

/** Behind GROUP BY; empty for no items. */
export function printGrouping(style: GroupingStyle, items: readonly string[]): string {
  const list = items.join(', ')
  const [first = '', ...others] = items
  if (items.length === 0) return ''
  switch (style) {
    case 'plain':
      return list
    case 'rollup':
      return `ROLLUP (${list})`
    case 'cube':
      return `CUBE (${list})`
    case 'mixed':
      return others.length === 0 ? first : `${first}, ROLLUP (${others.join(', ')})`
    case 'sets':
      return `GROUPING SETS ((${list}), ${first}, (), (${first}), ${items.at(-1) ?? ''})`
  }
}

/** GROUPING over the groups: a bit for each, the first one's highest, set where it isn't in the set. */
export function groupingOf(indexes: readonly number[], set: readonly number[]): bigint {
  return BigInt(`0b0${indexes.map((index) => (set.includes(index) ? '0' : '1')).join('')}`)
}
