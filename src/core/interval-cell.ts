/**
 * Owns the cell of an interval column: the key bytes of its span, so that SQLite orders cells as intervals, and behind them months and
 * days, 4 bytes each, which the span doesn't tell. A cell that has the key bytes alone stands for its span's days and time.
 */
import { daysOf, DAYS_PER_MONTH, intervalOf, monthsOf, setBigInterval, spanDaysOf, spanRestOf } from './interval.ts'
import { formatInterval } from './interval-text.ts'
import { KEY_TAG, keyBytesOf } from './key-bytes.ts'
import { readKeyInto } from './key-reader.ts'
import { Registers } from './registers.ts'
import { MICROSECONDS_PER_DAY } from './timestamp-calendar.ts'

const MONTHS_AT = 17
const DAYS_AT = 21
const CELL_BYTES = 25

/** The cell of an interval register. */
export function intervalCellOf(r: Registers, index: number): Uint8Array {
  const cell = new Uint8Array(CELL_BYTES)
  cell.set(keyBytesOf(r, index))
  const view = new DataView(cell.buffer)
  view.setInt32(MONTHS_AT, monthsOf(r, index))
  view.setInt32(DAYS_AT, daysOf(r, index))
  return cell
}

/** Reads an interval's cell, or any key bytes, into a register. */
export function readIntervalCell(cell: Uint8Array, r: Registers, out: number): void {
  readKeyInto(cell, 0, r, out)
  if (cell[0] !== KEY_TAG.INTERVAL || cell.length !== CELL_BYTES) return
  const view = new DataView(cell.buffer, cell.byteOffset)
  const months = view.getInt32(MONTHS_AT)
  const days = view.getInt32(DAYS_AT)
  const restDays = spanDaysOf(r, out) - months * DAYS_PER_MONTH - days
  setBigInterval(r, out, months, days, BigInt(restDays) * BigInt(MICROSECONDS_PER_DAY) + BigInt(spanRestOf(r, out)))
}

/** The interval's text, as PostgreSQL prints it. */
export function intervalCellToText(cell: Uint8Array): string {
  const r = new Registers(1)
  readIntervalCell(cell, r, 0)
  return formatInterval(intervalOf(r, 0))
}
