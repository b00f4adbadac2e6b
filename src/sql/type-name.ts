/** Owns the names of types in casts: which exist, which come later, and which are refused for good. */
import { RollupdError } from '../core/errors.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { didYouMean } from './nearest-name.ts'
import type { TypeName } from './parse-statement.ts'
import { nameParts } from './name-parts.ts'

/** A type that an expression can be cast to. */
export type CastType = Extract<
  ScalarType,
  'bigint' | 'numeric' | 'double precision' | 'text' | 'boolean' | 'timestamptz'
>

const CAST_TYPES: Readonly<Record<string, CastType>> = {
  bigint: 'bigint',
  int8: 'bigint',
  'double precision': 'double precision',
  float8: 'double precision',
  numeric: 'numeric',
  decimal: 'numeric',
  text: 'text',
  varchar: 'text',
  'character varying': 'text',
  boolean: 'boolean',
  bool: 'boolean',
  timestamptz: 'timestamptz',
  'timestamp with time zone': 'timestamptz',
}

const LIST = 'The types are bigint, numeric, double precision, text, boolean and timestamptz.'
const WRITE_BIGINT =
  'Write bigint, which holds every integer of these types; a range check of 32 or 16 bits does not exist.'
const WRITE_DOUBLE = 'Write double precision; a rounding to 32 bits does not exist.'
const WRITE_TEXT = 'Write text; padding and cutting to a length do not exist.'

const HINTS_OF_LENGTH: Partial<Record<CastType, string>> = {
  text: WRITE_TEXT,
  numeric: 'Write round(CAST(x AS numeric), 2) for two digits behind the point.',
}

/** Types that PostgreSQL has and rollupd doesn't: what to write instead. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  ...{ int: WRITE_BIGINT, integer: WRITE_BIGINT, int4: WRITE_BIGINT, smallint: WRITE_BIGINT, int2: WRITE_BIGINT },
  ...{ real: WRITE_DOUBLE, float4: WRITE_DOUBLE },
  ...{ char: WRITE_TEXT, bpchar: WRITE_TEXT, character: WRITE_TEXT, name: WRITE_TEXT },
}

const LATER_TYPES: Readonly<Record<string, string>> = {
  date: "Use date_trunc('day', x::timestamptz).",
  timestamp: 'Use timestamptz; text without a zone is read as UTC.',
  'timestamp without time zone': 'Use timestamptz; text without a zone is read as UTC.',
  time: LIST,
  timetz: LIST,
  interval: "An interval is written as a literal: INTERVAL '5 minutes'.",
  json: "Fields need no cast: write device.os or device->'os'.",
  jsonb: "Fields need no cast: write device.os or device->'os'.",
  uuid: 'Use text.',
  bytea: LIST,
}

/** The type that a cast names. Errors: sql_unsupported with the cast's position. */
export function toCastType(typeName: TypeName | undefined, position: number): CastType {
  const name = castTypeName(typeName)
  if ((typeName?.arrayBounds ?? []).length > 0) {
    throw new RollupdError('sql_unsupported', `a cast to ${name}[] is not supported`, { position, hint: LIST })
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
  const type = Object.hasOwn(CAST_TYPES, name) ? CAST_TYPES[name] : undefined
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
  const hint = didYouMean(name, Object.keys(CAST_TYPES))
  throw new RollupdError('sql_unsupported', `there is no type "${written}"`, { position, hint: hint ?? LIST })
}

/** Whether the grammar's type is interval, which exists as a literal only. */
export function isIntervalType(typeName: TypeName | undefined): boolean {
  return castTypeName(typeName) === 'interval'
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
