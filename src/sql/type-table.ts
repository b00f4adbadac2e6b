/** Owns the table of the types that an expression can be cast to: their names, and what docs/reference/types.md says of them. */
import type { ScalarType } from '../core/scalar-type.ts'

/** A type that an expression can be cast to. */
export type CastType = Exclude<ScalarType, 'number' | 'any' | 'unknown'>

export interface TypeEntry {
  readonly type: CastType
  /** Other names of it, as the grammar gives them. */
  readonly aliases: readonly string[]
  readonly holds: string
  /** How a value stands in a JSON answer. */
  readonly json: string
  readonly literal: string
}

export const TYPES: readonly TypeEntry[] = [
  { type: 'boolean', aliases: ['bool'], holds: 'true or false', json: 'true', literal: 'TRUE' },
  { type: 'bigint', aliases: ['int8'], holds: 'An integer of 64 bits.', json: '42', literal: '42' },
  {
    type: 'numeric',
    aliases: ['decimal'],
    holds: 'An exact decimal of up to 1,000 digits before and behind its point.',
    json: '12.5',
    literal: "'12.5'::numeric",
  },
  {
    type: 'double precision',
    aliases: ['float8'],
    holds: 'A double, with NaN and infinities.',
    json: '12.5, "NaN", "Infinity"',
    literal: '12.5',
  },
  {
    type: 'text',
    aliases: ['varchar', 'character varying'],
    holds: 'UTF-8, compared by its bytes.',
    json: '"Berlin"',
    literal: "'Berlin'",
  },
  {
    type: 'timestamptz',
    aliases: ['timestamp with time zone'],
    holds: 'An instant in whole microseconds, from 4713 BC to 294247; text without an offset is UTC.',
    json: '"2026-01-31T10:00:00Z"',
    literal: "TIMESTAMPTZ '2026-01-31 11:00:00+01'",
  },
  {
    type: 'timestamp',
    aliases: ['timestamp without time zone'],
    holds: 'What a calendar and a clock show, of no zone; an offset in a text counts for nothing.',
    json: '"2026-01-31T10:00:00"',
    literal: "TIMESTAMP '2026-01-31 10:00:00'",
  },
  {
    type: 'date',
    aliases: [],
    holds: 'A day, from 4713 BC to 294247; a time and an offset in a text count for nothing.',
    json: '"2026-01-31"',
    literal: "DATE '2026-01-31'",
  },
  {
    type: 'interval',
    aliases: [],
    holds:
      'Months, days and microseconds apart. Compared, and as a grouping value, a month is 30 days and a day 24 hours: equal ones are one group, shown as days and time.',
    json: '"1 mon 2 days 03:04:05.6"',
    literal: "INTERVAL '1 month 2 days 3 hours'",
  },
  {
    type: 'jsonb',
    aliases: ['json'],
    holds:
      'Any JSON value: keys in order and once, numbers by their value. An undeclared field is JSON already; a text is read by the cast. The JSON null is NULL.',
    json: '{"os":"ios"}',
    literal: `'{"os": "ios"}'::jsonb`,
  },
]
