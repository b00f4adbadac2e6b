/** Owns MAP_AGG(key, value) and its other names: a JSON object of the last value of each key. */
import { keyToJsonText } from '../core/key-reader.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { AggregateDefinition } from './aggregate.ts'
import { createEntryList, setJsonText } from './entry-list-aggregate.ts'
import { STATE_BOUNDS, type EntryListReader } from './entry-list.ts'
import { UNREADABLE } from './key-value.ts'

const TAG_NULL = TAG.NULL
const NULL_KEY: CellError = { code: 'invalid_argument', message: 'a key of the object is NULL' }

function answer(entries: EntryListReader, r: Registers, out: number): void {
  const pairs: string[] = []
  for (; !entries.isDone; entries.next()) {
    pairs.push(`${keyToJsonText(entries.key, 0)}:${keyToJsonText(entries.value, 0)}`)
  }
  setJsonText(r, out, `{${pairs.join(',')}}`)
}

function define(name: string): AggregateDefinition {
  return {
    name,
    ordered: true,
    casts: ['text'],
    signature: `${name}(key, value)`,
    doc: {
      summary:
        name === 'map_agg'
          ? `A JSON object: the value of each key, cast to text, in the last record that has it; of at most ${STATE_BOUNDS.valuesMax} keys, the first in the order of texts. A warning tells of more. A NULL as the key is an error of the record, in a rollup also a value of more than ${STATE_BOUNDS.mapValueBytesMax / 1024} KiB. NULL of no records.`
          : 'The same as map_agg.',
      example: `${name.toUpperCase()}(sensor, temperature)`,
    },
    resolve: ([key, value, ...more]) =>
      key !== 'text' || value === undefined || more.length > 0 || UNREADABLE.has(value)
        ? undefined
        : createEntryList({
            name,
            type: 'any',
            form: 'latest',
            sameness: 'key',
            takesNull: true,
            check: (r, arg) => (r.tag[arg] === TAG_NULL ? NULL_KEY : null),
            stateDescription: `${name}: keys and their last values`,
            answer,
          }),
  }
}

export const MAP_AGG = define('map_agg')
export const JSON_OBJECT_AGG = define('json_object_agg')
export const JSONB_OBJECT_AGG = define('jsonb_object_agg')
