/** Owns generate_series in FROM: a relation whose rows are made while they are read, so LIMIT and the deadline hold. */
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { parseInterval } from '../core/interval-text.ts'
import { isTimeType, type ScalarType } from '../core/scalar-type.ts'
import { literalTimeZone } from '../sql/functions/time-zone-argument.ts'
import { quoteText } from '../sql/identifier.ts'
import type { Expression, SqlFragment } from '../sql/expression.ts'
import { giveType, isOpen, literal, settle } from '../sql/literal.ts'
import type { FuncCall } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import type { CompileContext } from './compile-context.ts'
import { nowhere } from './guard-place.ts'
import type { Relation, RelationColumn } from './relation.ts'
import { BIGINT_SERIES, GENERATE_SERIES, SERIES_COLUMNS, TIME_SERIES } from './series-table.ts'

const SIGNATURES = `generate_series(first bigint, last bigint [, step bigint]) or generate_series(first timestamptz, last timestamptz, step interval [, zone text])`

/** Names of columns; a table's alias names the first where it names no columns. */
export interface SeriesNames {
  readonly value: string
  /** WITH ORDINALITY. */
  readonly ordinality: string | undefined
}

/** Errors: sql_type_mismatch for arguments that it doesn't take; sql_invalid for a step of zero and an unknown zone. */
export function compileSeries(
  call: FuncCall,
  names: SeriesNames,
  alias: string,
  analyser: Analyser,
  context: CompileContext,
): Relation {
  const position = analyser.positionOf(call.location)
  const args = (call.args ?? []).map((arg) => analyser.analyse(arg))
  const isWhole = args.length < 4 && !args.some(({ type }) => isTimeType(type) || type === 'interval')
  const series = isWhole ? wholeSeries(args, context, position) : seriesOfTimes(args, context, position)
  return new SeriesRelation(alias, names, series.type, series.text)
}

interface Series {
  readonly type: ScalarType
  readonly text: string
}

function wholeSeries(args: readonly Expression[], context: CompileContext, position: number): Series {
  const [first, last, step = literal('bigint', '1', position)] = args.map((arg) =>
    isOpen(arg) ? giveType(arg, 'bigint') : arg,
  )
  if (first === undefined || last === undefined) throw mismatch(args, position)
  const all = [first, last, step]
  if (all.some(({ type }) => type !== 'bigint')) throw mismatch(args, position)
  if (step.kind === 'literal' && step.value === '0') throw zeroStep(step.position)
  const texts = all.map((one) => argumentText(one, 'bigint', context))
  return { type: 'bigint', text: `${BIGINT_SERIES}(${texts.join(', ')})` }
}

/** Of timestamps without a zone it is of timestamps, of everything else of instants. */
function seriesOfTimes(args: readonly Expression[], context: CompileContext, position: number): Series {
  const [first, last, step, zone, ...more] = args
  if (first === undefined || last === undefined || step === undefined || more.length > 0) throw mismatch(args, position)
  const isLocal = [first, last].every((one) => isOpen(one) || one.type === 'timestamp') && zone === undefined
  const type = isLocal && !(isOpen(first) && isOpen(last)) ? 'timestamp' : 'timestamptz'
  const ends = [first, last].map((one) => (isOpen(one) ? giveType(one, type) : one))
  const typedStep = isOpen(step) ? giveType(step, 'interval') : step
  if (!ends.every((one) => isTimeType(one.type)) || typedStep.type !== 'interval') throw mismatch(args, position)
  if (typedStep.kind !== 'literal' || typedStep.value === null) {
    throw new RollupdError('sql_invalid', 'the step of generate_series must be an interval that is written out', {
      position: step.position === 0 ? position : step.position,
      hint: "Write one such as INTERVAL '1 hour'.",
    })
  }
  const interval = parseInterval(String(typedStep.value))
  assert(interval !== undefined, 'an interval literal is one')
  const { months, days, microseconds } = interval
  if (months === 0 && days === 0 && microseconds === 0n) throw zeroStep(typedStep.position)
  const texts = ends.map((one) => argumentText(one, type, context))
  const zoneName = zone === undefined ? '' : zoneText(zone, args, position)
  return { type, text: `${TIME_SERIES}(${[...texts, months, days, microseconds, quoteText(zoneName)].join(', ')})` }
}

function zoneText(zone: Expression, args: readonly Expression[], position: number): string {
  const settled = settle(zone)
  if (settled.kind !== 'literal' || typeof settled.value !== 'string' || settled.type !== 'text')
    throw mismatch(args, position)
  literalTimeZone(settled)
  return settled.value
}

/** A failed end has no rows, and fails the query. */
function argumentText(expression: Expression, type: ScalarType, { printer, conditions }: CompileContext): string {
  const text = printer.printAs(expression, type)
  return printer.canFail(expression) ? conditions.guard(text, nowhere(GENERATE_SERIES)) : text
}

function mismatch(args: readonly Expression[], position: number): RollupdError {
  const types = args.map((arg) => (isOpen(arg) ? 'text' : settle(arg).type))
  return new RollupdError(
    'sql_type_mismatch',
    `generate_series does not take ${types.length === 0 ? 'no arguments' : types.join(', ')}`,
    { position, hint: `Write ${SIGNATURES}.` },
  )
}

function zeroStep(position: number): RollupdError {
  return new RollupdError('sql_invalid', 'the step of generate_series is zero', { position })
}

class SeriesRelation implements Relation {
  readonly alias: string
  readonly columns: readonly RelationColumn[]
  readonly #text: string

  constructor(alias: string, { value, ordinality }: SeriesNames, type: ScalarType, text: string) {
    this.alias = alias
    this.#text = text
    const column = { name: value, type, canFail: false, hidden: false }
    const place: RelationColumn[] =
      ordinality === undefined ? [] : [{ name: ordinality, type: 'bigint', canFail: false, hidden: false }]
    this.columns = [column, ...place]
  }

  column(index: number, position: number): SqlFragment {
    const { type } = at(this.columns, index)
    return { kind: 'fragment', sql: `${this.alias}.${at(SERIES_COLUMNS, index)}`, type, canFail: false, position }
  }

  render(): string {
    return `${this.#text} AS ${this.alias}`
  }
}
