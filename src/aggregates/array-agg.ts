/** Owns ARRAY_AGG(x) and its other names: the values of a group as a JSON array. With DISTINCT each comes once, in the order of values. */
import { keyToJsonText } from '../core/key-reader.ts'
import type { Registers } from '../core/registers.ts'
import type { AggregateDefinition } from './aggregate.ts'
import { createEntryList, setJsonText } from './entry-list-aggregate.ts'
import { STATE_BOUNDS, type EntryListReader } from './entry-list.ts'
import { UNREADABLE } from './key-value.ts'

function answer(entries: EntryListReader, r: Registers, out: number): void {
  const texts: string[] = []
  for (; !entries.isDone; entries.next()) texts.push(keyToJsonText(entries.value, 0))
  setJsonText(r, out, `[${texts.join(',')}]`)
}

function define(name: string, distinct: boolean): AggregateDefinition {
  const bound = `at most ${STATE_BOUNDS.valuesMax} of a group`
  const summary = distinct
    ? `The different values as a JSON array, NULL among them, ${bound}: the first in the order of values. NULL of no values. ORDER BY takes the value.`
    : `The values as a JSON array, NULL among them, ${bound}: the first in the order of the records, or of ORDER BY in the brackets. A warning tells of more. NULL of no values.`
  return {
    name,
    ...(distinct ? { form: 'distinct' } : {}),
    ordered: true,
    signature: distinct ? `${name}(DISTINCT value)` : `${name}(value)`,
    doc: {
      summary:
        name === 'array_agg' ? summary : `The same as array_agg. ${distinct ? 'The different values.' : ''}`.trim(),
      example: distinct ? `${name.toUpperCase()}(DISTINCT city)` : `${name.toUpperCase()}(city ORDER BY ts DESC)`,
    },
    resolve: ([type, ...more]) =>
      type === undefined || more.length > 0 || UNREADABLE.has(type)
        ? undefined
        : createEntryList({
            name,
            type: 'any',
            form: distinct ? 'set' : 'placed',
            sameness: distinct ? 'whole' : 'none',
            takesNull: true,
            stateDescription: distinct ? `${name}: set of values` : `${name}: values and their places`,
            answer,
          }),
  }
}

export const ARRAY_AGG = define('array_agg', false)
export const ARRAY_AGG_DISTINCT = define('array_agg', true)
export const JSON_AGG = define('json_agg', false)
export const JSON_AGG_DISTINCT = define('json_agg', true)
export const JSONB_AGG = define('jsonb_agg', false)
export const JSONB_AGG_DISTINCT = define('jsonb_agg', true)
