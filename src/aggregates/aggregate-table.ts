/** Owns the list of aggregates. Adding one adds a file and a line here. */
import type { ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { APPROX_DISTINCT } from './approx-distinct.ts'
import { AVG } from './avg.ts'
import { BIT_AND, BIT_OR, BIT_XOR } from './bit-operations.ts'
import { BOOL_AND, BOOL_OR, EVERY } from './bool-and-or.ts'
import { COUNT } from './count.ts'
import { MAX } from './max.ts'
import { MIN } from './min.ts'
import { SUM } from './sum.ts'

const DEFINITIONS: readonly AggregateDefinition[] = [
  COUNT,
  SUM,
  AVG,
  MIN,
  MAX,
  BOOL_AND,
  BOOL_OR,
  EVERY,
  BIT_AND,
  BIT_OR,
  BIT_XOR,
  APPROX_DISTINCT,
]
const BY_NAME: ReadonlyMap<string, AggregateDefinition> = new Map(DEFINITIONS.map((entry) => [entry.name, entry]))

/** All aggregates, for docs and nearest names. */
export function aggregateNames(): readonly string[] {
  return DEFINITIONS.map((entry) => entry.name)
}

/** By its lower-case name; undefined where there is none. */
export function findAggregate(name: string): AggregateDefinition | undefined {
  return BY_NAME.get(name)
}

/** The aggregate for arguments of these types (none: star); undefined where there is none, or it doesn't take them. */
export function resolveAggregate(
  name: string,
  argTypes: readonly ScalarType[],
  literals: readonly unknown[] = [],
): Aggregate | undefined {
  return findAggregate(name)?.resolve(argTypes, literals)
}
