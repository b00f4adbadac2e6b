/** Owns texts as parts of a SQL statement: quote_literal, quote_nullable, quote_ident, as PostgreSQL writes them. */
import { type Registers, TAG } from '../../core/registers.ts'
import { RESERVED_WORDS } from '../identifier.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { setString, textOf } from './argument.ts'
import { areTexts, textEntry } from './text-argument.ts'

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/

/**
 * Words that may be a column's name and no function's: PostgreSQL quotes them too. Source: PostgreSQL 18, appendix C; a test compares the words with
 * its own list.
 */
const COLUMN_WORDS: ReadonlySet<string> = new Set(
  `between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping inout int integer interval json
  json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value least
  merge_action national nchar none normalize nullif numeric out overlay position precision real row setof smallint substring time
  timestamp treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
  xmlserialize xmltable`.split(/\s+/),
)

/** A text in single quotes; with a backslash in it, as an escape string. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? `E${quoted}` : quoted
}

/** A name, in double quotes where it isn't plain or is a word of the grammar. */
export function quoteIdentifier(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && !RESERVED_WORDS.has(name) && !COLUMN_WORDS.has(name)
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`
}

function quoteEntry(name: string, quote: (text: string) => string, summary: string, example: string): FunctionEntry {
  const evaluate: Evaluate = (r, out, a) => {
    if (areTexts(r, out, name, a)) setString(r, out, quote(textOf(r, a)))
  }
  return textEntry(name, evaluate, { summary, example })
}

const QUOTE_LITERAL = quoteEntry(
  'quote_literal',
  quoteLiteral,
  'The text as a literal of SQL, in single quotes; null where it is null.',
  'quote_literal(city)',
)

export const TEXT_QUOTE_FUNCTIONS: readonly FunctionEntry[] = [
  QUOTE_LITERAL,
  {
    ...QUOTE_LITERAL,
    id: 'quote_nullable',
    name: 'quote_nullable',
    signature: 'quote_nullable(text)',
    strict: false,
    evaluate: (r: Registers, out, a) => {
      if (r.tag[a] === TAG.NULL) setString(r, out, 'NULL')
      else if (areTexts(r, out, 'quote_nullable', a)) setString(r, out, quoteLiteral(textOf(r, a)))
    },
    doc: { summary: 'The text as a literal of SQL; the word NULL where it is null.', example: 'quote_nullable(city)' },
  },
  quoteEntry(
    'quote_ident',
    quoteIdentifier,
    'The text as a name in SQL, in double quotes where it must have them.',
    'quote_ident(column_name)',
  ),
]
