/** Owns joining values to one text: ||, concat and concat_ws. A number, boolean or time is taken as its text. */
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isText, isUndeclared, wrongKind } from './argument.ts'
import { toText, toUndeclaredText } from './casts.ts'
import { isTextType, TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

/** As many as a call has registers. */
const PIECES_MAX = 4
const JOINABLE: readonly ScalarType[] = [
  'text',
  'any',
  'bigint',
  'double precision',
  'numeric',
  'number',
  'boolean',
  'timestamptz',
]
const NO_BYTES = new Uint8Array(0)

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
  return args.length === 2 && args.some(isTextType) && args.every((type) => JOINABLE.includes(type))
    ? 'text'
    : undefined
}

/**
 * Writes the texts of the registers that aren't NULL, one after another, the separator's between two of them; -1: no separator, or an argument
 * that wasn't given.
 */
function joinPieces(
  r: Registers,
  out: number,
  separator: number,
  toOwnTexts: readonly Evaluate[],
  a: number,
  b: number,
  c: number,
  d: number,
): void {
  const between = separator < 0 ? NO_BYTES : r.bytesOf(separator)
  const pieces: Uint8Array[] = []
  let size = 0
  for (let place = 0; place < PIECES_MAX; place++) {
    const index = place === 0 ? a : place === 1 ? b : place === 2 ? c : d
    if (index < 0 || r.tag[index] === TAG.NULL) continue
    if (!isText(r, index)) {
      const toOwnText = toOwnTexts[place] ?? toText
      toOwnText(r, out, index, -1, -1, -1)
      // an array or object may hold what has no text
      if (r.tag[out] === TAG.ERROR) return
    }
    const piece = r.bytesOf(isText(r, index) ? index : out)
    if (pieces.length > 0) size += between.length
    size += piece.length
    pieces.push(piece)
  }
  if (size > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const [place, piece] of pieces.entries()) {
    if (place > 0) {
      bytes.set(between, at)
      at += between.length
    }
    bytes.set(piece, at)
    at += piece.length
  }
  r.setText(out, bytes, 0, size)
}

const OWN_TEXTS: readonly Evaluate[] = Array.from({ length: PIECES_MAX }, () => toText)

/** How each argument becomes a text; undefined: none is undeclared. */
function ownTexts(types: readonly ScalarType[]): readonly Evaluate[] | undefined {
  return types.some(isUndeclared) ? types.map((type) => (isUndeclared(type) ? toUndeclaredText : toText)) : undefined
}

/** Whatever may stand in a text; an interval has none. */
const isPieceType = (type: ScalarType): boolean => JOINABLE.includes(type)

const CONCAT: FunctionEntry = {
  id: 'concat',
  name: 'concat',
  form: 'function',
  resolve: (args) => (args.length > 0 && args.length <= PIECES_MAX && args.every(isPieceType) ? 'text' : undefined),
  signature: 'concat(value [, value [, value [, value]]])',
  strict: false,
  canFail: always,
  evaluate: (r, out, a, b, c, d) => joinPieces(r, out, -1, OWN_TEXTS, a, b, c, d),
  specialize: (args) => {
    const texts = ownTexts(args.map(({ type }) => type))
    return texts === undefined ? undefined : (r, out, a, b, c, d) => joinPieces(r, out, -1, texts, a, b, c, d)
  },
  doc: {
    summary: 'The values joined as texts; nulls are left out, so it is never null.',
    example: "concat(country, '-', city)",
  },
}

function joinWith(r: Registers, out: number, texts: readonly Evaluate[], a: number, b: number, c: number, d: number) {
  if (r.tag[a] === TAG.NULL) r.setNull(out)
  else if (!isText(r, a)) wrongKind(r, out, 'concat_ws', a)
  else joinPieces(r, out, a, texts, b, c, d, -1)
}

const CONCAT_WS: FunctionEntry = {
  id: 'concat_ws',
  name: 'concat_ws',
  form: 'function',
  resolve: ([separator, ...pieces]) =>
    isTextType(separator) && pieces.length > 0 && pieces.length < PIECES_MAX && pieces.every(isPieceType)
      ? 'text'
      : undefined,
  signature: 'concat_ws(separator text, value [, value [, value]])',
  strict: false,
  canFail: always,
  evaluate: (r, out, a, b, c, d) => joinWith(r, out, OWN_TEXTS, a, b, c, d),
  specialize: (args) => {
    const texts = ownTexts(args.slice(1).map(({ type }) => type))
    return texts === undefined ? undefined : (r, out, a, b, c, d) => joinWith(r, out, texts, a, b, c, d)
  },
  doc: {
    summary:
      'The values joined as texts, the separator between them; nulls are left out, and null where the separator is null.',
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
