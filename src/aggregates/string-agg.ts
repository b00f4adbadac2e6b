/** Owns STRING_AGG(x, separator): the texts of a group, one behind the other. With DISTINCT each comes once, in the order of texts. */
import { copyBytes } from '../core/copy-bytes.ts'
import { readKeyInto } from '../core/key-reader.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { AggregateDefinition, AggregateParameter } from './aggregate.ts'
import { createEntryList } from './entry-list-aggregate.ts'
import { STATE_BOUNDS, type EntryListReader } from './entry-list.ts'
import { wrongKind } from './wrong-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const { NULL: TAG_NULL, TEXT: TAG_TEXT } = TAG

function checkText(r: Registers, arg: number): CellError | null {
  const tag = r.tag[arg]
  return tag === TAG_TEXT || tag === TAG_NULL ? null : wrongKind('string_agg', r, arg)
}

function answer(entries: EntryListReader, r: Registers, out: number, separator: AggregateParameter): void {
  const between = Buffer.from(String(separator), 'utf8')
  const parts: Uint8Array[] = []
  for (; !entries.isDone; entries.next()) {
    if (parts.length > 0) parts.push(between)
    readKeyInto(entries.value, 0, r, out)
    parts.push(copyBytes(r.bytesOf(out), 0, r.end[out]! - r.num[out]!))
  }
  const text = Buffer.concat(parts)
  r.setText(out, text, 0, text.length)
}

function define(distinct: boolean): AggregateDefinition {
  const bound = `at most ${STATE_BOUNDS.valuesMax} of a group`
  return {
    name: 'string_agg',
    ...(distinct ? { form: 'distinct' } : {}),
    ordered: true,
    parameter: 'separator',
    signature: distinct ? 'string_agg(DISTINCT text, separator)' : 'string_agg(text, separator)',
    doc: distinct
      ? {
          summary: `The different texts with the separator between them, NULL left out, ${bound}: the first in the order of texts. ORDER BY takes the text.`,
          example: "STRING_AGG(DISTINCT city, ', ')",
        }
      : {
          summary: `The texts with the separator, a text that is written out, between them, NULL left out, ${bound}: the first in the order of the records, or of ORDER BY in the brackets. A warning tells of more. NULL of no values.`,
          example: "STRING_AGG(city, ', ' ORDER BY city)",
        },
    resolve: ([type, ...more]) =>
      more.length > 0 || (type !== 'text' && type !== 'any')
        ? undefined
        : createEntryList({
            name: 'string_agg',
            type: 'text',
            form: distinct ? 'set' : 'placed',
            sameness: distinct ? 'whole' : 'none',
            takesNull: false,
            check: checkText,
            stateDescription: distinct ? 'string_agg: set of texts' : 'string_agg: texts and their places',
            answer,
          }),
  }
}

export const STRING_AGG = define(false)
export const STRING_AGG_DISTINCT = define(true)
