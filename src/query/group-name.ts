/** Owns how a message names a group: its grouping values as JSON. */
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import { toJsonText } from './json-cell.ts'

/** Longer values are cut, so that a message stays one readable line. */
const VALUE_CHARACTERS_MAX = 200

/** `country = "DE", minute = "2026-01-01T00:00:00Z"`; empty for the one group of a rollup without GROUP BY. */
export function describeGroup(
  columns: readonly { readonly name: string; readonly type: ScalarType }[],
  cells: readonly Cell[],
): string {
  return columns
    .map(({ name, type }, index) => `${name} = ${shorten(toJsonText(cells[index] ?? null, type))}`)
    .join(', ')
}

function shorten(text: string): string {
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`
}
