/** Owns the list of aggregates. Adding one adds a file and a line here. */
import type { ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { APPROX_DISTINCT } from './approx-distinct.ts'
import { APPROX_PERCENTILE } from './approx-percentile.ts'
import {
  ARRAY_AGG,
  ARRAY_AGG_DISTINCT,
  JSON_AGG,
  JSON_AGG_DISTINCT,
  JSONB_AGG,
  JSONB_AGG_DISTINCT,
} from './array-agg.ts'
import { AVG } from './avg.ts'
import { BIT_AND, BIT_OR, BIT_XOR } from './bit-operations.ts'
import { BOOL_AND, BOOL_OR, EVERY } from './bool-and-or.ts'
import { COUNT_DISTINCT } from './count-distinct.ts'
import { COUNT } from './count.ts'
import { CORR, COVAR_POP, COVAR_SAMP } from './covariance.ts'
import { MAX_BY, MIN_BY } from './extreme-by.ts'
import { ANY_VALUE, FIRST, LAST } from './first-and-last.ts'
import { JSON_OBJECT_AGG, JSONB_OBJECT_AGG, MAP_AGG } from './map-agg.ts'
import { MAX } from './max.ts'
import { MIN } from './min.ts'
import { MEDIAN, PERCENTILE_CONT, PERCENTILE_DISC } from './percentile.ts'
import { AVG_DISTINCT, SUM_DISTINCT } from './distinct-sum.ts'
import { APPROX_TOP_K, HISTOGRAM, MODE } from './frequent-values.ts'
import { REGR_COUNT } from './pair-count.ts'
import {
  REGR_AVGX,
  REGR_AVGY,
  REGR_INTERCEPT,
  REGR_R2,
  REGR_SLOPE,
  REGR_SXX,
  REGR_SXY,
  REGR_SYY,
} from './regression.ts'
import { STRING_AGG, STRING_AGG_DISTINCT } from './string-agg.ts'
import { SUM } from './sum.ts'
import { STDDEV, STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP, VARIANCE } from './variance.ts'

/** All forms of all aggregates. */
export const AGGREGATES: readonly AggregateDefinition[] = [
  COUNT,
  COUNT_DISTINCT,
  SUM,
  SUM_DISTINCT,
  AVG,
  AVG_DISTINCT,
  MIN,
  MAX,
  MIN_BY,
  MAX_BY,
  BOOL_AND,
  BOOL_OR,
  EVERY,
  BIT_AND,
  BIT_OR,
  BIT_XOR,
  STDDEV,
  STDDEV_SAMP,
  STDDEV_POP,
  VARIANCE,
  VAR_SAMP,
  VAR_POP,
  COVAR_POP,
  COVAR_SAMP,
  CORR,
  REGR_COUNT,
  REGR_AVGX,
  REGR_AVGY,
  REGR_SXX,
  REGR_SYY,
  REGR_SXY,
  REGR_SLOPE,
  REGR_INTERCEPT,
  REGR_R2,
  APPROX_DISTINCT,
  APPROX_PERCENTILE,
  PERCENTILE_CONT,
  PERCENTILE_DISC,
  MEDIAN,
  MODE,
  APPROX_TOP_K,
  HISTOGRAM,
  FIRST,
  LAST,
  ANY_VALUE,
  ARRAY_AGG,
  ARRAY_AGG_DISTINCT,
  JSON_AGG,
  JSON_AGG_DISTINCT,
  JSONB_AGG,
  JSONB_AGG_DISTINCT,
  STRING_AGG,
  STRING_AGG_DISTINCT,
  MAP_AGG,
  JSON_OBJECT_AGG,
  JSONB_OBJECT_AGG,
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
  distinct = false,
): Aggregate | undefined {
  return findAggregate(name, distinct)?.resolve(argTypes)
}
