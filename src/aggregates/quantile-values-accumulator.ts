/**
 * Owns the values of many groups in their order while records are folded: a group with more different ones than are kept exactly goes on as a
 * sketch beside those that it has (quantile-values.ts).
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, AccumulatorInput, StateValue } from './aggregate.ts'
import { CountedMembers } from './counted-members.ts'
import { growArray } from './grow-array.ts'
import { checkKey } from './order-key.ts'
import { QuantileAccumulator } from './quantile-accumulator.ts'
import { mergeSketches } from './quantile-sketch.ts'
import {
  beyondExact,
  doubleOf,
  QUANTILE_FORM,
  QUANTILE_ROW_VALUES_MAX,
  QUANTILE_VALUES_MAX,
  quantileForm,
  sketchOf,
  startQuantileValues,
  tooManyState,
  toSketchState,
} from './quantile-values.ts'
import { checkNumber } from './wrong-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const { NULL: TAG_NULL, BIG_INTEGER: TAG_BIG_INTEGER, NUMERIC: TAG_NUMERIC } = TAG
const { values: VALUES, sketch: SKETCH, tooMany: TOO_MANY } = QUANTILE_FORM

export class QuantileValuesAccumulator implements Accumulator {
  readonly #name: string
  /** Whether it takes numbers alone. */
  readonly #ofNumbers: boolean
  readonly #valuesMax: number
  readonly #key = new KeyWriter()
  readonly #members = new CountedMembers()
  readonly #sketches: QuantileAccumulator
  /** By group. */
  #forms: Uint8Array = new Uint8Array(0)
  readonly #state: StateValue[] = []

  constructor(name: string, ofNumbers: boolean, { bounds }: Pick<AccumulatorInput, 'bounds'>) {
    this.#name = name
    this.#ofNumbers = ofNumbers
    this.#valuesMax = bounds === 'rows' ? QUANTILE_ROW_VALUES_MAX : QUANTILE_VALUES_MAX
    this.#sketches = new QuantileAccumulator(name)
  }

  grow(capacity: number): void {
    this.#forms = growArray(this.#forms, capacity)
    this.#members.grow(capacity)
    this.#sketches.grow(capacity)
  }

  get extraBytes(): number {
    return this.#members.extraBytes + this.#sketches.extraBytes
  }

  /** A number beyond doubles has no bucket in a sketch. */
  check(r: Registers, arg: number): CellError | null {
    if (this.#ofNumbers) {
      const error = checkNumber(this.#name, r, arg)
      if (error !== null) return error
    }
    const tag = r.tag[arg]
    if (tag === TAG_BIG_INTEGER || tag === TAG_NUMERIC) return this.#sketches.check(r, arg)
    return checkKey(this.#key, r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL) return
    const form = this.#forms[group]
    if (form === VALUES) {
      const key = this.#key
      key.reset()
      key.appendRegister(r, arg)
      this.#members.add(group, key.bytes, key.length)
      if (this.#members.distinctOf(group) > this.#valuesMax) this.#forms[group] = SKETCH
    } else if (form === SKETCH) {
      if (doubleOf(r, arg) === undefined) this.#forms[group] = TOO_MANY
      else this.#sketches.update(group, r, arg)
    }
  }

  stateOf(group: number, into: StateValue[]): void {
    if (this.#members.distinctOf(group) === 0) into[0] = null
    else into[0] = this.#forms[group] === TOO_MANY ? tooManyState() : this.#stateOf(group)
  }

  #stateOf(group: number): Uint8Array {
    const written = startQuantileValues()
    this.#members.visit(group, (bytes, start, length, count) => written.add(bytes, start, length, count))
    if (this.#forms[group] === VALUES) return written.finish()
    const before = beyondExact(written.finish())
    this.#sketches.stateOf(group, this.#state)
    const [sketch] = this.#state
    if (!(sketch instanceof Uint8Array) || quantileForm(before) !== SKETCH) return before
    return toSketchState(mergeSketches(sketchOf(before), sketch))
  }

  reset(used?: number): void {
    this.#members.reset(used)
    this.#sketches.reset(used)
    this.#forms.fill(VALUES, 0, used)
  }
}
