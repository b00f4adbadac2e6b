/** Owns the names of types in casts: which exist, which come later, and which are refused for good. */
import { RollupdError } from '../core/errors.ts'
import { didYouMean } from './nearest-name.ts'
import type { TypeName } from './parse-statement.ts'
import { nameParts } from './name-parts.ts'
import { type CastType, TYPES } from './type-table.ts'

const CAST_TYPES: ReadonlyMap<string, CastType> = new Map(
  TYPES.flatMap(({ type, aliases }) => [type, ...aliases].map((name) => [name, type])),
)

const LIST = `The types are ${TYPES.map(({ type }) => type).join(', ')}.`
const WRITE_BIGINT =
  'Write bigint, which holds every integer of these types; a range check of 32 or 16 bits does not exist.'
const WRITE_DOUBLE = 'Write double precision; a rounding to 32 bits does not exist.'
const WRITE_TEXT = 'Write text; padding and cutting to a length do not exist.'

const HINTS_OF_LENGTH: Partial<Record<CastType, string>> = {
  text: WRITE_TEXT,
  interval: "Write the unit inside the quotes: INTERVAL '5 minutes'.",
  numeric: 'Write round(CAST(x AS numeric), 2) for two digits behind the point.',
}

/** Types that PostgreSQL has and rollupd doesn't: what to write instead. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  ...{ int: WRITE_BIGINT, integer: WRITE_BIGINT, int4: WRITE_BIGINT, smallint: WRITE_BIGINT, int2: WRITE_BIGINT },
  ...{ real: WRITE_DOUBLE, float4: WRITE_DOUBLE },
  ...{ char: WRITE_TEXT, bpchar: WRITE_TEXT, character: WRITE_TEXT, name: WRITE_TEXT },
}

const LATER_TYPES: Readonly<Record<string, string>> = {
  time: "Write to_char(x, 'HH24:MI:SS') for the time of day as text.",
  timetz: "Write to_char(x, 'HH24:MI:SS') for the time of day as text.",
  uuid: 'Use text.',
  bytea: LIST,
}

/** The type that a cast names. Errors: sql_unsupported with the cast's position. */
export function toCastType(typeName: TypeName | undefined, position: number): CastType {
  const name = castTypeName(typeName)
  if ((typeName?.arrayBounds ?? []).length > 0) {
    const hint =
      'Arrays are JSON arrays, whose elements have types of their own: leave the cast out, or cast the elements.'
    throw new RollupdError(
      'sql_unsupported',
      `a cast to ${CAST_TYPES.get(name) ?? shownName(name)}[] is not supported`,
      { position, hint },
    )
  }
  const type = castTypeByName(name, position)
  if ((typeName?.typmods ?? []).length > 0) {
    const hint = HINTS_OF_LENGTH[type] ?? `Write ${type} without a precision.`
    throw new RollupdError('sql_unsupported', `a cast to ${name} with a length or precision is not supported`, {
      position,
      hint,
    })
  }
  return type
}

/** The type of that name, as written in try_cast(x, 'bigint'). Errors: sql_unsupported. */
export function castTypeByName(written: string, position: number): CastType {
  const name = written.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const type = CAST_TYPES.get(name)
  if (type !== undefined) return type
  const refused = Object.hasOwn(REFUSED_TYPES, name) ? REFUSED_TYPES[name] : undefined
  if (refused !== undefined) {
    throw new RollupdError('sql_unsupported', `a cast to ${shownName(name)} is not supported`, {
      position,
      hint: refused,
    })
  }
  const later = Object.hasOwn(LATER_TYPES, name) ? LATER_TYPES[name] : undefined
  if (later !== undefined) {
    throw new RollupdError('sql_unsupported', `a cast to ${name} is not supported yet`, { position, hint: later })
  }
  const hint = didYouMean(name, [...CAST_TYPES.keys()])
  throw new RollupdError('sql_unsupported', `there is no type "${written}"`, { position, hint: hint ?? LIST })
}

/** The last part of the grammar's name: `int8` for bigint. */
function castTypeName(typeName: TypeName | undefined): string {
  const parts = nameParts(typeName?.names)
  return parts.length > 1 && parts[0] !== 'pg_catalog' ? parts.join('.') : (parts.at(-1) ?? '')
}

/** The grammar turns `integer` into int4; people read what they wrote. */
function shownName(name: string): string {
  const written: Readonly<Record<string, string>> = {
    int4: 'integer',
    int2: 'smallint',
    float4: 'real',
    bpchar: 'char',
  }
  return written[name] ?? name
}
