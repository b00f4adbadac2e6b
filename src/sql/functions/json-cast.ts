/**
 * Owns casts to and from jsonb. To it: a text is read as JSON, an undeclared value that is no text is JSON already. From it: numbers and
 * booleans only where the JSON value is one, as PostgreSQL; its text is its JSON.
 */
import { JsonCheck } from '../../core/json-check.ts'
import { readJsonInto } from '../../core/json-path.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import { kindName } from '../../core/value-kind.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumber, isOneOf, isText, never, quote } from './argument.ts'
import { toBigint, toBoolean, toDouble } from './casts.ts'
import { toNumeric } from './cast-to-numeric.ts'
import { toCanonicalJson, toJsonValue } from './json-value.ts'

function toJsonb(): Evaluate {
  const check = new JsonCheck()
  return (r, out, a, b, c, d) => {
    if (!isText(r, a)) {
      toJsonValue(r, out, a, b, c, d)
      return
    }
    const bytes = r.ref[a] as Uint8Array
    const at = check.findValue(bytes, r.num[a] as number, r.end[a] as number)
    if (at < 0) r.setError(out, 'invalid_cast', `invalid input for jsonb: ${quote(r, a)}`)
    else readValue(r, out, a, at)
  }
}

/** What stands behind a number alone in its buffer is none of its digits. */
function readValue(r: Registers, out: number, a: number, at: number): void {
  const bytes = r.ref[a] as Uint8Array
  const end = r.end[a] as number
  const isContainer = bytes[at] === 0x5b || bytes[at] === 0x7b
  if (isContainer) readJsonInto(bytes, at, r, out)
  else readJsonInto(bytes.slice(at, end), 0, r, out)
}

/** Errors: wrong_kind where the value isn't of the wanted kind. */
function ofKind(type: ScalarType, isWanted: (r: Registers, index: number) => boolean, cast: Evaluate): Evaluate {
  return (r, out, a, b, c, d) => {
    if (isWanted(r, a)) cast(r, out, a, b, c, d)
    else
      r.setError(
        out,
        'wrong_kind',
        `a jsonb that is ${kindName(r, a)} can't be cast to ${type}: take it as text by ->>`,
      )
  }
}

interface Cast {
  readonly id: string
  readonly type: ScalarType
  readonly takes: (type: ScalarType | undefined) => boolean
  readonly signature: string
  readonly evaluate: Evaluate
  readonly summary: string
}

const isJsonb = (type: ScalarType | undefined): boolean => type === 'jsonb'
const isBoolean = (r: Registers, index: number): boolean => r.tag[index] === TAG.BOOLEAN

function fromJsonb(id: string, type: ScalarType, evaluate: Evaluate, summary: string): Cast {
  return { id, type, takes: isJsonb, signature: `cast of jsonb to ${type}`, evaluate, summary }
}

const CASTS: readonly Cast[] = [
  {
    id: 'jsonb',
    type: 'jsonb',
    takes: (type) => isOneOf(type, 'text', 'any'),
    signature: 'cast of text, any to jsonb',
    evaluate: toJsonb(),
    summary: 'A text read as JSON; an undeclared value of another kind as it is. Also `::json`.',
  },
  fromJsonb('bigint_of_jsonb', 'bigint', ofKind('bigint', isNumber, toBigint), 'The number in a jsonb.'),
  fromJsonb(
    'double_of_jsonb',
    'double precision',
    ofKind('double precision', isNumber, toDouble),
    'The number in a jsonb.',
  ),
  fromJsonb('numeric_of_jsonb', 'numeric', ofKind('numeric', isNumber, toNumeric), 'The number in a jsonb.'),
  fromJsonb('boolean_of_jsonb', 'boolean', ofKind('boolean', isBoolean, toBoolean), 'The boolean in a jsonb.'),
  fromJsonb(
    'text_of_jsonb',
    'text',
    toCanonicalJson,
    'The JSON text, compact and with sorted keys; of a text with its quotes.',
  ),
]

function castEntry({ id, type, takes, signature, evaluate, summary }: Cast): FunctionEntry {
  return {
    id: `cast_to_${id}`,
    name: type,
    form: 'cast',
    resolve: ([given, further]) => (takes(given) && further === undefined ? type : undefined),
    signature,
    strict: true,
    canFail: always,
    evaluate,
    doc: { summary, example: `CAST(x AS ${type})` },
  }
}

function tryCastEntry(cast: Cast): FunctionEntry {
  return {
    ...castEntry(cast),
    id: `try_cast_to_${cast.id}`,
    form: 'try_cast',
    canFail: never,
    evaluate: (r, out, a, b, c, d) => {
      cast.evaluate(r, out, a, b, c, d)
      if (r.tag[out] === TAG.ERROR) r.setNull(out)
    },
    doc: { summary: `${cast.summary} Null where the cast fails.`, example: `try_cast(x, '${cast.type}')` },
  }
}

export const JSON_CASTS: readonly FunctionEntry[] = [...CASTS.map(castEntry), ...CASTS.map(tryCastEntry)]
