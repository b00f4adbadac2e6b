/** Owns what the planner asks of the aggregates: aggregate-table.ts as a value, so that a test can plan with others. */
import type { Aggregate, AggregateDefinition } from '../aggregates/aggregate.ts'
import type { ScalarType } from '../core/scalar-type.ts'

export interface AggregateCatalog {
  aggregateNames(): readonly string[]
  findAggregate(name: string): AggregateDefinition | undefined
  /** No argument types: star. */
  resolveAggregate(name: string, argTypes: readonly ScalarType[], literals?: readonly unknown[]): Aggregate | undefined
}
