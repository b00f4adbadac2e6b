/**
 * Owns the static types of expressions. `jsonb` is any JSON value, a text among them still its JSON; JSON's null is NULL. `any` is an undeclared field: the record decides its kind. `number` is a number of any
 * size and form (SUM of undeclared values). `unknown` is a NULL or quoted literal that has not met its other side.
 */
export const SCALAR_TYPES = [
  'boolean',
  'bigint',
  'double precision',
  'numeric',
  'number',
  'text',
  'timestamptz',
  'timestamp',
  'date',
  'interval',
  'jsonb',
  'any',
  'unknown',
] as const
export type ScalarType = (typeof SCALAR_TYPES)[number]

/** The declared types of numbers; an undeclared field (any) may hold one too. */
export const NUMBER_TYPES: ReadonlySet<string> = new Set<ScalarType>([
  'bigint',
  'double precision',
  'numeric',
  'number',
])

/** Whether a value may be a decimal that no record's number is. */
export function isExactNumber(type: ScalarType): boolean {
  return type === 'numeric' || type === 'number'
}

/** Points in time, each taken for the next where two meet: a date is its midnight, a timestamp is in UTC. */
export const TIME_TYPES = ['date', 'timestamp', 'timestamptz'] as const satisfies readonly ScalarType[]
export type TimeType = (typeof TIME_TYPES)[number]

export function isTimeType(type: ScalarType | undefined): type is TimeType {
  return type === 'timestamptz' || type === 'timestamp' || type === 'date'
}

/** A cell of SQLite's as values pass to and from it: integers as bigint where they may be beyond the safe range, else as numbers. */
export type Cell = null | number | bigint | string | Uint8Array

/**
 * How a column of that type stands in SQLite: a native value, or key bytes (key-bytes.ts) as a BLOB. A native column may
 * still hold a BLOB in one cell: an error, or a NaN, which SQLite has no value for.
 */
export type ColumnStorage = 'INTEGER' | 'REAL' | 'TEXT' | 'BLOB'

export function toColumnStorage(type: ScalarType): ColumnStorage {
  switch (type) {
    case 'boolean':
    case 'bigint':
    case 'timestamptz':
    case 'timestamp':
    case 'date':
      return 'INTEGER'
    case 'double precision':
      return 'REAL'
    case 'text':
      return 'TEXT'
    default:
      return 'BLOB'
  }
}
