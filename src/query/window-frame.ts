/** Owns frames of windows: ROWS, RANGE and GROUPS, their ends, and EXCLUDE, as SQLite text. */
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { parseInterval } from '../core/interval-text.ts'
import { isTimeType, type ScalarType } from '../core/scalar-type.ts'
import { MICROSECONDS_PER_DAY } from '../core/timestamp-calendar.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import type { Expression, Literal } from '../sql/expression.ts'
import { giveType, isOpen, isOpenNumber, toDouble } from '../sql/literal.ts'
import type { Node, WindowDef } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import type { Interval } from '../core/registers.ts'
import type { RangeFrame } from './range-frame.ts'
import type { ExpressionPrinter } from './expression-printer.ts'

/** Bits of WindowDef.frameOptions: PostgreSQL's parsenodes.h. */
const OPTION = {
  WRITTEN: 0x1,
  RANGE: 0x2,
  ROWS: 0x4,
  GROUPS: 0x8,
  START_UNBOUNDED_PRECEDING: 0x20,
  END_UNBOUNDED_FOLLOWING: 0x100,
  START_CURRENT_ROW: 0x200,
  END_CURRENT_ROW: 0x400,
  START_OFFSET_PRECEDING: 0x800,
  END_OFFSET_PRECEDING: 0x1000,
  START_OFFSET_FOLLOWING: 0x2000,
  END_OFFSET_FOLLOWING: 0x4000,
  EXCLUDE_CURRENT_ROW: 0x8000,
  EXCLUDE_GROUP: 0x10000,
  EXCLUDE_TIES: 0x20000,
} as const

export interface Frame {
  /** Empty: the default, from the partition's start to the last peer of the row. */
  readonly text: string
  readonly isSliding: boolean
  /** Whether SQLite adds an offset to the key of ORDER BY. */
  readonly addsToKey: boolean
  /** A frame that SQLite can't find; then the text is the whole partition. */
  readonly range?: RangeFrame | undefined
}

interface FrameKey {
  readonly expression: Expression
  /** ` ASC NULLS LAST` */
  readonly direction: string
}

/** Errors: sql_invalid for a frame that its ORDER BY doesn't allow and for an offset that is none. */
export function frameOf(
  window: WindowDef,
  keys: readonly FrameKey[],
  analyser: Analyser,
  printer: ExpressionPrinter,
): Frame {
  const { frameOptions: options = 0, startOffset, endOffset } = window
  const has = (bit: number): boolean => (options & bit) !== 0
  if (!has(OPTION.WRITTEN)) return { text: '', isSliding: false, addsToKey: false }
  const mode = has(OPTION.ROWS) ? 'ROWS' : has(OPTION.GROUPS) ? 'GROUPS' : 'RANGE'
  if (mode === 'GROUPS' && keys.length === 0) {
    throw new RollupdError('sql_invalid', 'a frame of GROUPS needs ORDER BY in its window', {
      position: analyser.positionOf(window.location),
    })
  }
  const range = mode === 'RANGE' ? rangeOfMonths(window, keys, analyser) : undefined
  if (range !== undefined)
    return {
      text: 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
      isSliding: false,
      addsToKey: false,
      range,
    }
  const offset = (node: Node | undefined): string =>
    node === undefined ? '' : offsetText(mode, node, keys, analyser, printer)
  const start = has(OPTION.START_OFFSET_PRECEDING)
    ? `${offset(startOffset)} PRECEDING`
    : has(OPTION.START_OFFSET_FOLLOWING)
      ? `${offset(startOffset)} FOLLOWING`
      : has(OPTION.START_CURRENT_ROW)
        ? 'CURRENT ROW'
        : 'UNBOUNDED PRECEDING'
  const end = has(OPTION.END_OFFSET_PRECEDING)
    ? `${offset(endOffset)} PRECEDING`
    : has(OPTION.END_OFFSET_FOLLOWING)
      ? `${offset(endOffset)} FOLLOWING`
      : has(OPTION.END_UNBOUNDED_FOLLOWING)
        ? 'UNBOUNDED FOLLOWING'
        : 'CURRENT ROW'
  return {
    text: `${mode} BETWEEN ${start} AND ${end}${exclusionOf(has)}`,
    isSliding: !has(OPTION.START_UNBOUNDED_PRECEDING),
    addsToKey: mode === 'RANGE' && (startOffset !== undefined || endOffset !== undefined),
  }
}

/** A frame over a time where an offset has months; undefined: SQLite can find it. */
function rangeOfMonths(window: WindowDef, keys: readonly FrameKey[], analyser: Analyser): RangeFrame | undefined {
  const { frameOptions: options = 0, startOffset, endOffset } = window
  const [key, ...more] = keys
  if (key === undefined || more.length > 0 || !isTimeType(key.expression.type)) return undefined
  const [start, end] = [startOffset, endOffset].map((node) => intervalOf(node, analyser))
  if ((start?.months ?? 0) === 0 && (end?.months ?? 0) === 0) return undefined
  const has = (bit: number): boolean => (options & bit) !== 0
  for (const [interval, node] of [
    [start, startOffset],
    [end, endOffset],
  ] as const) {
    if (interval !== undefined && spanOf(interval) < 0n) throw negative(analyser.positionOf(locationOf(node as Node)))
  }
  if (has(OPTION.EXCLUDE_CURRENT_ROW) || has(OPTION.EXCLUDE_GROUP) || has(OPTION.EXCLUDE_TIES)) {
    throw unsupported(
      'EXCLUDE of a RANGE with an offset of months is not supported',
      analyser.positionOf(window.location),
      'Write days instead of months, or take what is excluded out in an expression.',
    )
  }
  const ofStart = start === undefined ? undefined : { interval: start, isBefore: has(OPTION.START_OFFSET_PRECEDING) }
  const ofEnd = end === undefined ? undefined : { interval: end, isBefore: has(OPTION.END_OFFSET_PRECEDING) }
  return {
    start: ofStart ?? (has(OPTION.START_UNBOUNDED_PRECEDING) ? 'unbounded' : 'current'),
    end: ofEnd ?? (has(OPTION.END_UNBOUNDED_FOLLOWING) ? 'unbounded' : 'current'),
    descending: key.direction.startsWith(' DESC'),
    nullsFirst: key.direction.includes('NULLS FIRST'),
  }
}

/** An offset that is an interval, written out; undefined: another one, or none. */
function intervalOf(node: Node | undefined, analyser: Analyser): Interval | undefined {
  const written = node === undefined ? undefined : analyser.analyse(node)
  if (written?.kind !== 'literal' || written.value === null || (!isOpen(written) && written.type !== 'interval'))
    return undefined
  return parseInterval(String(giveType(written, 'interval').value))
}

/** A month is 30 days, as intervals are compared. */
function spanOf({ months, days, microseconds }: Interval): bigint {
  return BigInt(months * 30 + days) * BigInt(MICROSECONDS_PER_DAY) + microseconds
}

function exclusionOf(has: (bit: number) => boolean): string {
  if (has(OPTION.EXCLUDE_CURRENT_ROW)) return ' EXCLUDE CURRENT ROW'
  if (has(OPTION.EXCLUDE_GROUP)) return ' EXCLUDE GROUP'
  return has(OPTION.EXCLUDE_TIES) ? ' EXCLUDE TIES' : ''
}

function offsetText(
  mode: string,
  node: Node,
  keys: readonly FrameKey[],
  analyser: Analyser,
  printer: ExpressionPrinter,
): string {
  const written = analyser.analyse(node)
  const position = written.position === 0 ? analyser.positionOf(locationOf(node)) : written.position
  if (mode !== 'RANGE') {
    const open = isOpen(written) ? giveType(written, 'bigint') : written
    return wholeNumber(open, `the offset of ${mode}`, position)
  }
  const [key, ...more] = keys
  if (key === undefined || more.length > 0) {
    throw new RollupdError('sql_invalid', 'RANGE with an offset needs exactly one key in ORDER BY', { position })
  }
  return rangeOffset(written, key.expression, position, printer)
}

/** A whole number from 0, written out or a parameter. Errors: sql_invalid. */
export function wholeNumber(expression: Expression, what: string, position: number, from = 0n): string {
  const { value } = expression as Literal
  const isWhole = expression.kind === 'literal' && expression.type === 'bigint' && typeof value === 'string'
  if (isWhole && BigInt(value) >= from) return value
  const range = from < 0n ? '' : ` from ${from}`
  throw new RollupdError('sql_invalid', `${what} must be a whole number${range}, written out or a parameter`, {
    position,
  })
}

/** In the key's own unit: SQLite compares by adding it to the key. */
function rangeOffset(written: Expression, key: Expression, position: number, printer: ExpressionPrinter): string {
  const { type } = key
  const refuse = (): RollupdError =>
    new RollupdError('sql_type_mismatch', `RANGE over ${type} does not take the offset ${written.type}`, {
      position,
      hint: OFFSET_HINTS[type] ?? 'Cast the key of ORDER BY to bigint, double precision or timestamptz.',
    })
  if (written.kind !== 'literal' || written.value === null) throw refuse()
  if (type === 'bigint') {
    const offset = isOpen(written) ? giveType(written, 'bigint') : written
    if (offset.type !== 'bigint') throw refuse()
    return wholeNumber(offset, 'the offset of RANGE', position)
  }
  if (type === 'double precision') {
    const isNumber = written.type === 'bigint' || isOpenNumber(written) || isOpen(written)
    const offset = isOpen(written) ? giveType(written, type) : isNumber ? toDouble(written) : written
    if (offset.type !== type) throw refuse()
    if (!(Number(offset.value) >= 0)) throw negative(position)
    return printer.print(offset)
  }
  if (isTimeType(type)) {
    const offset = isOpen(written) ? giveType(written, 'interval') : written
    if (offset.type !== 'interval') throw refuse()
    return timeOffset(offset, type, position)
  }
  throw refuse()
}

const INTERVAL_HINT = "Write an interval, such as INTERVAL '1 hour'."
const OFFSET_HINTS: Readonly<Record<string, string>> = {
  bigint: 'Write a whole number.',
  'double precision': 'Write a number.',
  timestamptz: INTERVAL_HINT,
  timestamp: INTERVAL_HINT,
  date: INTERVAL_HINT,
}

/** In days for dates, rounded down: between two midnights there is no other key. */
function timeOffset(offset: Literal, type: ScalarType, position: number): string {
  const interval = parseInterval(String(offset.value))
  assert(interval !== undefined, 'a literal of type interval is one')
  const { days, microseconds } = interval
  const total = BigInt(days) * BigInt(MICROSECONDS_PER_DAY) + microseconds
  if (total < 0n) throw negative(position)
  return String(type === 'date' ? total / BigInt(MICROSECONDS_PER_DAY) : total)
}

function negative(position: number): RollupdError {
  return new RollupdError('sql_invalid', 'the offset of RANGE must not be negative', { position })
}
