/** Owns the list of aggregates. Adding one adds a file and a line here. */
import type { ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { APPROX_DISTINCT } from './approx-distinct.ts'
import { APPROX_PERCENTILE } from './approx-percentile.ts'
import { AVG } from './avg.ts'
import { COUNT_DISTINCT } from './count-distinct.ts'
import { COUNT } from './count.ts'
import { MAX } from './max.ts'
import { MIN } from './min.ts'
import { SUM } from './sum.ts'

/** All forms of all aggregates. */
export const AGGREGATES: readonly AggregateDefinition[] = [
  COUNT,
  COUNT_DISTINCT,
  SUM,
  AVG,
  MIN,
  MAX,
  APPROX_DISTINCT,
  APPROX_PERCENTILE,
]
const PLAIN = mapOf(AGGREGATES.filter(({ form }) => form !== 'distinct'))
const DISTINCT = mapOf(AGGREGATES.filter(({ form }) => form !== undefined))

function mapOf(definitions: readonly AggregateDefinition[]): ReadonlyMap<string, AggregateDefinition> {
  return new Map(definitions.map((entry) => [entry.name, entry]))
}

/** Each once, for docs and nearest names. */
export function aggregateNames(): readonly string[] {
  return [...PLAIN.keys()]
}

/** By its lower-case name, as it is without or with DISTINCT; undefined where there is none. */
export function findAggregate(name: string, distinct = false): AggregateDefinition | undefined {
  return (distinct ? DISTINCT : PLAIN).get(name)
}

/** The aggregate for arguments of these types (none: star), without its parameter; undefined where there is none, or it doesn't take them. */
export function resolveAggregate(
  name: string,
  argTypes: readonly ScalarType[],
  literals: readonly unknown[] = [],
  distinct = false,
): Aggregate | undefined {
  return findAggregate(name, distinct)?.resolve(argTypes, literals)
}
