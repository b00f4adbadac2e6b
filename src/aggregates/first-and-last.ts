/** Owns FIRST(x), LAST(x) and ANY_VALUE(x): one value of a group, by the order of the records or of the values. */
import type { AggregateDefinition } from './aggregate.ts'
import { createFirstEntry, type FirstEntryOptions } from './first-entry.ts'
import { UNREADABLE } from './key-value.ts'

function define(
  name: string,
  options: FirstEntryOptions,
  doc: AggregateDefinition['doc'],
): Omit<AggregateDefinition, 'ordered'> {
  return {
    name,
    signature: `${name}(value)`,
    doc,
    resolve: ([type, ...more]) =>
      type === undefined || more.length > 0 || UNREADABLE.has(type) ? undefined : createFirstEntry(name, type, options),
  }
}

const ORDER =
  'Records are in the order of their timestamps, then of topic, partition and offset; ORDER BY in the brackets comes before that.'

export const FIRST: AggregateDefinition = {
  ...define(
    'first',
    { form: 'placed', takesNull: true },
    { summary: `The value of the first record, which may be NULL. ${ORDER}`, example: 'FIRST(status ORDER BY ts)' },
  ),
  ordered: true,
}

export const LAST: AggregateDefinition = {
  ...define(
    'last',
    { form: 'reversed', takesNull: true },
    { summary: `The value of the last record, which may be NULL. ${ORDER}`, example: 'LAST(status)' },
  ),
  ordered: true,
}

export const ANY_VALUE: AggregateDefinition = define(
  'any_value',
  { form: 'set', takesNull: false },
  {
    summary: 'One of the values, NULL left out: the one that sorts first. Values may be of any kinds.',
    example: 'ANY_VALUE(name)',
  },
)
