/** Owns the folding of plain values through an aggregate, for tests. */
import type { AccumulatorInput, Aggregate, AggregateParameter, StateValue } from '../../src/aggregates/aggregate.ts'
import type { Decimal } from '../../src/core/decimal.ts'
import { RecordPlace } from '../../src/core/record-place.ts'
import { setBigInterval } from '../../src/core/interval.ts'
import { TAG, Registers, type Interval } from '../../src/core/registers.ts'

/** number: a double; bigint: an integer; null, boolean, text. */
export type Value = null | boolean | number | bigint | string | Decimal | { readonly micros: bigint } | Interval

export function setValue(r: Registers, out: number, value: Value): void {
  if (value === null) return r.setNull(out)
  switch (typeof value) {
    case 'boolean':
      return r.setBoolean(out, value)
    case 'number':
      return r.setDouble(out, value)
    case 'bigint':
      return r.setBigInteger(out, value)
    case 'string': {
      const bytes = Buffer.from(`-${value}-`, 'utf8')
      return r.setText(out, bytes, 1, bytes.length - 1)
    }
    default:
      if ('micros' in value) return r.setBigTimestamp(out, value.micros)
      if ('months' in value) return void setBigInterval(r, out, value.months, value.days, value.microseconds)
      r.tag[out] = TAG.NUMERIC
      r.ref[out] = value
  }
}

/** The argument of a call, or its two arguments. */
export type Arguments = Value | readonly [Value, Value]

/** Of calls without ORDER BY. */
export function inputOf(bounds: AccumulatorInput['bounds'] = 'state'): AccumulatorInput {
  return { place: new RecordPlace(), order: [], bounds }
}

/** The state of these values, folded in their order as one group among others; `offsets` say where each record stands in its shard. */
export function stateOf(
  aggregate: Aggregate,
  values: readonly Arguments[],
  offsets: readonly number[] = [...values.keys()],
  input = inputOf(),
): StateValue[] {
  const r = new Registers(2)
  const accumulator = aggregate.createAccumulator(input)
  accumulator.grow(4)
  for (const [index, value] of values.entries()) {
    input.place.offset = offsets[index]!
    const [first, second] = isPair(value) ? value : [value, undefined]
    setValue(r, 0, first)
    if (second !== undefined) setValue(r, 1, second)
    const secondAt = second === undefined ? -1 : 1
    const error = accumulator.check(r, 0, secondAt)
    if (error !== null) throw new Error(error.message)
    accumulator.update(2, r, 0, secondAt)
  }
  const state: StateValue[] = []
  accumulator.stateOf(2, state)
  return state
}

function isPair(value: Arguments): value is readonly [Value, Value] {
  return Array.isArray(value)
}

/** The finished value: text as a string, an error as { error: code }. */
export function finish(
  aggregate: Aggregate,
  state: readonly StateValue[],
  parameter: AggregateParameter = Number.NaN,
): unknown {
  const r = new Registers(1)
  aggregate.finalize(state, r, 0, parameter)
  return readRegister(r, 0)
}

export function readRegister(r: Registers, index: number): unknown {
  switch (r.tag[index]) {
    case TAG.NULL:
      return null
    case TAG.BOOLEAN:
      return r.num[index] === 1
    case TAG.INTEGER:
    case TAG.BIG_INTEGER:
      return r.bigIntegerOf(index)
    case TAG.DOUBLE:
      return r.num[index]
    case TAG.TEXT:
    case TAG.JSON:
      return Buffer.from(r.bytesOf(index)).toString('utf8')
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      return { micros: r.microsecondsOf(index) }
    case TAG.ERROR:
      return { error: (r.ref[index] as { code: string }).code }
    default:
      return r.ref[index]
  }
}
