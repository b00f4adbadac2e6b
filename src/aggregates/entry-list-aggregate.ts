/** Owns what the aggregates share that answer a list of entries: ARRAY_AGG, STRING_AGG, MAP_AGG. They differ in what the answer is made of. */
import type { Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateParameter } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { EntryListAccumulator, type EntryListOptions } from './entry-list-accumulator.ts'
import { EntryListReader, mergeLists, STATE_BOUNDS, ROW_BOUNDS } from './entry-list.ts'

export interface EntryListAggregate extends EntryListOptions {
  readonly name: string
  readonly type: ScalarType
  readonly stateDescription: string
  /** The answer of one entry at least, into the register. */
  readonly answer: (entries: EntryListReader, r: Registers, out: number, parameter: AggregateParameter) => void
}

export function createEntryList(options: EntryListAggregate): Aggregate {
  const { name, type, stateDescription, sameness, answer } = options
  const what = sameness === 'key' ? 'keys' : 'values'
  const bounds = `${STATE_BOUNDS.valuesMax} ${what} of a rollup's group, ${ROW_BOUNDS.valuesMax} in a query over rows`
  const warning = `${name} keeps the first ${bounds}; a group of the answer has more`
  return {
    type,
    // of places none comes twice
    ...blobStateParts((left, right) => mergeLists(sameness, left, right), sameness === 'whole'),
    stateDescription,
    canFail: false,
    createAccumulator: (input) => new EntryListAccumulator(options, input),
    finalize: ([state], r, out, parameter) => {
      if (!(state instanceof Uint8Array)) return r.setNull(out)
      const entries = new EntryListReader(state)
      if (entries.past) r.warning = warning
      answer(entries, r, out, parameter)
    },
  }
}

/** A text that JavaScript has made. */
export function setJsonText(r: Registers, out: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  r.setJson(out, bytes, 0, bytes.length)
}
