/** Owns the elements of arrays and the members of objects as a table of SQLite. */
import type BetterSqlite3 from 'better-sqlite3'
import { errorCell, KEY_TAG } from '../core/key-bytes.ts'
import { firstPart, memberValue, nextPart } from '../core/json-elements.ts'
import { readJsonInto } from '../core/json-path.ts'
import { skipString, skipValue, textOfString } from '../core/json-text.ts'
import { readKeyInto } from '../core/key-reader.ts'
import { Registers, TAG } from '../core/registers.ts'
import type { Cell } from '../core/scalar-type.ts'
import { toUndeclaredText } from '../sql/functions/casts.ts'
import { isErrorCell, toStorer } from './cell-codec.ts'

/** json_parts(cell, as text): the parts of an array or object as key bytes, or as texts; of NULL none. */
export const JSON_PARTS = 'json_parts'
export const JSON_PARTS_COLUMNS = ['key', 'value', 'place'] as const
/** array_cell(cell, name), object_cell: the cell, or the error that it is none. */
export const CONTAINER_CELLS = { array: 'array_cell', object: 'object_cell' } as const

const OBJECT_OPEN = 0x7b
const CONTAINER = 0
const PART = 1

export function containerCell(kind: keyof typeof CONTAINER_CELLS): (cell?: Cell, name?: Cell) => Cell {
  const tag = kind === 'array' ? KEY_TAG.ARRAY : KEY_TAG.OBJECT
  return (cell = null, name = null) => {
    if (!(cell instanceof Uint8Array) || cell[0] === tag || cell[0] === KEY_TAG.NULL || isErrorCell(cell)) return cell
    return errorCell('wrong_kind', `${String(name)} takes ${kind === 'array' ? 'an array' : 'an object'} only`)
  }
}

export function registerJsonParts(connection: BetterSqlite3.Database): void {
  connection.table(JSON_PARTS, {
    columns: [...JSON_PARTS_COLUMNS],
    parameters: ['container', 'as_text'],
    safeIntegers: true,
    *rows(container, asText) {
      if (container !== null) yield* partsOf(container as Buffer, Number(asText) === 1)
    },
  })
}

function* partsOf(container: Buffer, asText: boolean): Generator<[Cell, Cell, Cell]> {
  const r = new Registers(PART + 1)
  const store = toStorer(asText ? 'text' : 'any')
  readKeyInto(container, 0, r, CONTAINER)
  if (r.tag[CONTAINER] !== TAG.JSON) return
  const bytes = r.ref[CONTAINER] as Uint8Array
  const isObject = bytes[0] === OBJECT_OPEN
  let place = 0n
  for (let at = firstPart(bytes, 0); at >= 0;) {
    const value = isObject ? memberValue(bytes, at) : at
    readJsonInto(bytes, value, r, PART)
    if (asText && r.tag[PART] !== TAG.ERROR && r.tag[PART] !== TAG.NULL) toUndeclaredText(r, PART, PART, -1, -1, -1)
    yield [isObject ? keyAt(bytes, at) : null, store(r, PART), ++place]
    at = nextPart(bytes, skipValue(bytes, value))
  }
}

function keyAt(bytes: Uint8Array, at: number): string | null {
  const text = textOfString(bytes, at, skipString(bytes, at))
  return text === undefined ? null : Buffer.from(text).toString('utf8')
}
