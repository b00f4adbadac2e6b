/** Owns format(): a template whose %s, %I and %L are values as texts, names and literals, as PostgreSQL's. */
import { NUMBER_TEXT, readInteger } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isText, isWholeDouble, setString, textOf, variadic } from './argument.ts'
import { areTexts, isTextType, TEXT_BYTES_MAX, tooLong } from './text-argument.ts'
import { isPieceType, ownTexts, pieceOf } from './text-join.ts'
import { toText } from './casts.ts'
import { quoteIdentifier, quoteLiteral } from './text-quote.ts'

/** Position, flag, width (a number, or * with a position), type. */
const SPECIFIER = /%(?:%|(?:(\d+)\$)?(-*)(?:(\d+)|(\*)(?:(\d+)\$)?)?([sIL])?)/g
const INT32_MAX = 2 ** 31 - 1

class FormatError extends Error {}

/** An argument has no text; the error of that is written. */
class NoText extends Error {}

/** One call: which argument is next, counted from 1 at the one behind the template. */
class Formatter {
  readonly #r: Registers
  readonly #out: number
  readonly #args: readonly number[]
  readonly #texts: readonly Evaluate[] | undefined
  #next = 1

  constructor(r: Registers, out: number, args: readonly number[], texts: readonly Evaluate[] | undefined) {
    this.#r = r
    this.#out = out
    this.#args = args
    this.#texts = texts
  }

  /** Errors: FormatError, NoText. */
  expand(template: string): string {
    let result = ''
    let at = 0
    for (const match of template.matchAll(SPECIFIER)) {
      result += template.slice(at, match.index)
      at = match.index + match[0].length
      if (match[0] === '%%') result += '%'
      else result += this.#value(match)
      if (result.length > TEXT_BYTES_MAX) throw new FormatError(`the text would be longer than ${TEXT_BYTES_MAX} bytes`)
    }
    return result + template.slice(at)
  }

  #value([specifier, position, flag = '', width, star, starPosition, type]: RegExpExecArray): string {
    if (type === undefined) throw new FormatError(`unrecognized format specifier ${JSON.stringify(specifier)}`)
    // the width's argument comes before the value's
    const wanted = star === undefined ? Number(width ?? 0) : this.#width(starPosition)
    if (Math.abs(wanted) > INT32_MAX) throw new FormatError('the width is out of range')
    const text = this.#show(this.#argument(position), type)
    const missing = Math.abs(wanted) - [...text].length
    if (missing <= 0) return text
    if (missing > TEXT_BYTES_MAX) throw new FormatError(`the text would be longer than ${TEXT_BYTES_MAX} bytes`)
    return flag !== '' || wanted < 0 ? text + ' '.repeat(missing) : ' '.repeat(missing) + text
  }

  #argument(position: string | undefined): number {
    const place = position === undefined ? this.#next : Number(position)
    if (place === 0) throw new FormatError('positions count from 1')
    this.#next = place + 1
    if (place >= this.#args.length) throw new FormatError('there are too few arguments')
    return place
  }

  #width(position: string | undefined): number {
    const index = this.#args[this.#argument(position)] as number
    const [r, out] = [this.#r, this.#out]
    if (r.tag[index] === TAG.NULL) return 0
    if (isText(r, index)) {
      const outcome = readInteger(r.ref[index] as Uint8Array, r.num[index] as number, r.end[index] as number, r, out)
      if (outcome !== NUMBER_TEXT.READ) throw new FormatError('a width is a whole number')
    } else r.copy(out, index)
    if (r.tag[out] !== TAG.INTEGER && !isWholeDouble(r, out)) throw new FormatError('a width is a whole number')
    return r.num[out] as number
  }

  #show(place: number, type: string): string {
    const [r, out] = [this.#r, this.#out]
    const index = this.#args[place] as number
    if (r.tag[index] === TAG.NULL) {
      if (type === 'I') throw new FormatError('null is no name')
      return type === 'L' ? 'NULL' : ''
    }
    const piece = pieceOf(r, out, index, this.#texts?.[place] ?? toText)
    if (piece === undefined) throw new NoText()
    const text = Buffer.from(piece).toString('utf8')
    return type === 's' ? text : type === 'I' ? quoteIdentifier(text) : quoteLiteral(text)
  }
}

function format(r: Registers, out: number, args: readonly number[], texts: readonly Evaluate[] | undefined): void {
  const template = args[0] as number
  if (r.tag[template] === TAG.NULL) return r.setNull(out)
  if (!areTexts(r, out, 'format', template)) return
  try {
    const text = new Formatter(r, out, args, texts).expand(textOf(r, template))
    if (Buffer.byteLength(text) > TEXT_BYTES_MAX) tooLong(r, out)
    else setString(r, out, text)
  } catch (error) {
    if (error instanceof NoText) return
    if (!(error instanceof FormatError)) throw error
    r.setError(out, 'invalid_argument', `format: ${error.message}`)
  }
}

export const FORMAT: FunctionEntry = {
  id: 'format',
  name: 'format',
  form: 'function',
  resolve: ([template, ...values]) => (isTextType(template) && values.every(isPieceType) ? 'text' : undefined),
  signature: 'format(template text [, value, ...])',
  variadic: true,
  strict: false,
  canFail: always,
  evaluate: variadic((r, out, args) => format(r, out, args, undefined)),
  specialize: (args) => {
    const texts = ownTexts(args.map(({ type }) => type))
    return texts === undefined ? undefined : variadic((r, out, registers) => format(r, out, registers, texts))
  },
  doc: {
    summary:
      'The template with the values in it: %s as text, %L as a literal, %I as a name, %% a percent sign; %2$s is the second value, %-10s fills to ten characters.',
    example: "format('%s/%s', country, city)",
  },
}
