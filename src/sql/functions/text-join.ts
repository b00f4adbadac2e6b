/** Owns joining values to one text: ||, concat and concat_ws. A number, boolean or time is taken as its text. */
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isText, isUndeclared, variadic, wrongKind } from './argument.ts'
import { toText, toUndeclaredText } from './casts.ts'
import { toCanonicalJson } from './json-value.ts'
import { isTextType, TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

const JOINABLE: readonly ScalarType[] = [
  'text',
  'any',
  'bigint',
  'double precision',
  'numeric',
  'number',
  'boolean',
  'timestamptz',
  'jsonb',
]
const NO_BYTES = new Uint8Array(0)
/** How concat writes booleans; a cast and || write the words. */
const TRUE_PIECE = Buffer.from('t')
const FALSE_PIECE = Buffer.from('f')

/** One side is text; the other is text, or a number, boolean or time as its text, which the last two give. */
function concatenate(r: Registers, out: number, a: number, b: number, leftText: Evaluate, rightText: Evaluate): void {
  const wrong = r.tag[a] === TAG.JSON || r.tag[a] === TAG.INTERVAL ? a : isText(r, a) || isText(r, b) ? -1 : b
  const other = r.tag[b] === TAG.JSON || r.tag[b] === TAG.INTERVAL ? b : wrong
  if (other >= 0) {
    wrongKind(r, out, 'the operator ||', other)
    return
  }
  const left = bytesOfText(r, out, a, leftText)
  const right = bytesOfText(r, out, b, rightText)
  const size = left.length + right.length
  if (size > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  const bytes = new Uint8Array(size)
  bytes.set(left)
  bytes.set(right, left.length)
  r.setText(out, bytes, 0, size)
}

/** The register's value as text; `out` is used on the way. */
function bytesOfText(r: Registers, out: number, index: number, toOwnText: Evaluate): Uint8Array {
  if (isText(r, index)) return r.bytesOf(index)
  toOwnText(r, out, index, -1, -1, -1)
  return r.bytesOf(out)
}

function resolveJoin(args: readonly ScalarType[]): ScalarType | undefined {
  // of two jsonb it is their union (json-edit.ts)
  return args.length === 2 && args.some(isTextType) && args.every((type) => type !== 'jsonb' && JOINABLE.includes(type))
    ? 'text'
    : undefined
}

/**
 * Writes the texts of the registers from `first` on that aren't NULL, one after another, the separator's between two of them; separator -1: none.
 * Texts alone, the usual case, need no object but the result's bytes.
 */
function joinPieces(
  r: Registers,
  out: number,
  separator: number,
  args: readonly number[],
  first: number,
  toOwnTexts: readonly Evaluate[] | undefined,
): void {
  let texts = 0
  let size = 0
  for (let place = first; place < args.length; place++) {
    const index = args[place] as number
    if (r.tag[index] === TAG.NULL) continue
    if (!isText(r, index) || toOwnTexts?.[place] === toCanonicalJson) {
      joinConverted(r, out, separator, args, first, toOwnTexts)
      return
    }
    texts++
    size += (r.end[index] as number) - (r.num[index] as number)
  }
  if (separator >= 0 && texts > 1) size += (texts - 1) * ((r.end[separator] as number) - (r.num[separator] as number))
  if (size > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  const bytes = new Uint8Array(size)
  let at = 0
  let left = texts
  for (let place = first; left > 0; place++) {
    const index = args[place] as number
    if (r.tag[index] === TAG.NULL) continue
    at = appendText(r, index, bytes, at)
    left--
    if (separator >= 0 && left > 0) at = appendText(r, separator, bytes, at)
  }
  r.setText(out, bytes, 0, size)
}

function appendText(r: Registers, index: number, bytes: Uint8Array, at: number): number {
  const from = r.ref[index] as Uint8Array
  const end = r.end[index] as number
  let to = at
  for (let next = r.num[index] as number; next < end; next++) bytes[to++] = from[next] as number
  return to
}

/** As joinPieces, where some are no texts yet; `out` is used on the way. */
function joinConverted(
  r: Registers,
  out: number,
  separator: number,
  args: readonly number[],
  first: number,
  toOwnTexts: readonly Evaluate[] | undefined,
): void {
  const between = separator < 0 ? NO_BYTES : r.bytesOf(separator)
  const pieces: Uint8Array[] = []
  let size = 0
  for (let place = first; place < args.length; place++) {
    const index = args[place] as number
    if (r.tag[index] === TAG.NULL) continue
    const piece = pieceOf(r, out, index, toOwnTexts?.[place] ?? toText)
    if (piece === undefined) return
    if (pieces.length > 0 && between.length > 0) pieces.push(between)
    pieces.push(piece)
    size += pieces.length > 1 ? between.length : 0
    size += piece.length
  }
  if (size > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  r.setText(out, Buffer.concat(pieces, size), 0, size)
}

/** Undefined where `out` is an error: an array or object may hold what has no text. */
export function pieceOf(r: Registers, out: number, index: number, toOwnText: Evaluate): Uint8Array | undefined {
  if (r.tag[index] === TAG.BOOLEAN) return r.num[index] === 1 ? TRUE_PIECE : FALSE_PIECE
  // of a jsonb a text has quotes
  if (isText(r, index) && toOwnText !== toCanonicalJson) return r.bytesOf(index)
  toOwnText(r, out, index, -1, -1, -1)
  return r.tag[out] === TAG.ERROR ? undefined : r.bytesOf(out)
}

/** How each argument becomes a text; undefined: as every value does. */
export function ownTexts(types: readonly ScalarType[]): readonly Evaluate[] | undefined {
  if (!types.some((type) => isUndeclared(type) || type === 'jsonb')) return undefined
  return types.map((type) => (type === 'jsonb' ? toCanonicalJson : isUndeclared(type) ? toUndeclaredText : toText))
}

/** Whatever may stand in a text; an interval has none. */
export const isPieceType = (type: ScalarType): boolean => JOINABLE.includes(type)

const CONCAT: FunctionEntry = {
  id: 'concat',
  name: 'concat',
  form: 'function',
  resolve: (args) => (args.length > 0 && args.every(isPieceType) ? 'text' : undefined),
  signature: 'concat(value [, ...])',
  variadic: true,
  strict: false,
  canFail: always,
  evaluate: variadic((r, out, args) => joinPieces(r, out, -1, args, 0, undefined)),
  specialize: (args) => {
    const texts = ownTexts(args.map(({ type }) => type))
    return texts === undefined
      ? undefined
      : variadic((r, out, registers) => joinPieces(r, out, -1, registers, 0, texts))
  },
  doc: {
    summary: 'The values joined as texts, a boolean as t or f; nulls are left out, so it is never null.',
    example: "concat(country, '-', city)",
  },
}

function joinWith(r: Registers, out: number, args: readonly number[], texts: readonly Evaluate[] | undefined): void {
  const separator = args[0] as number
  if (r.tag[separator] === TAG.NULL) r.setNull(out)
  else if (!isText(r, separator)) wrongKind(r, out, 'concat_ws', separator)
  else joinPieces(r, out, separator, args, 1, texts)
}

const CONCAT_WS: FunctionEntry = {
  id: 'concat_ws',
  name: 'concat_ws',
  form: 'function',
  resolve: ([separator, ...pieces]) =>
    isTextType(separator) && pieces.length > 0 && pieces.every(isPieceType) ? 'text' : undefined,
  signature: 'concat_ws(separator text, value [, ...])',
  variadic: true,
  strict: false,
  canFail: always,
  evaluate: variadic((r, out, args) => joinWith(r, out, args, undefined)),
  specialize: (args) => {
    const texts = ownTexts(args.map(({ type }) => type))
    return texts === undefined ? undefined : variadic((r, out, registers) => joinWith(r, out, registers, texts))
  },
  doc: {
    summary:
      'The values joined as texts, a boolean as t or f, the separator between them; nulls are left out, and null where the separator is null.',
    example: "concat_ws('/', country, city)",
  },
}

export const TEXT_JOIN_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'concatenate',
    name: '||',
    form: 'operator',
    resolve: resolveJoin,
    signature: 'text || value',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => concatenate(r, out, a, b, toText, toText),
    specialize: (args) => {
      if (!args.some(({ type }) => isUndeclared(type))) return undefined
      const [left = toText, right = toText] = args.map(({ type }) => (isUndeclared(type) ? toUndeclaredText : toText))
      return (r, out, a, b) => concatenate(r, out, a, b, left, right)
    },
    print: ([left, right]) => `${left} || ${right}`,
    doc: {
      summary: 'Two texts joined; a number, boolean or time beside a text is taken as its text.',
      example: "country || '-' || city",
    },
  },
  CONCAT,
  CONCAT_WS,
]
