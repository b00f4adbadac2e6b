/** Owns the text of times, dates and intervals in registers. */
import { intervalOf } from '../../core/interval.ts'
import { formatInterval } from '../../core/interval-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { formatDate, formatLocalTimestamp, formatTimestamp } from '../../core/timestamp-format.ts'

/** Undefined: the register holds none of them. */
export function timeTextOf(r: Registers, index: number): string | undefined {
  switch (r.tag[index]) {
    case TAG.TIMESTAMP:
      return formatTimestamp(r.num[index] as number)
    case TAG.BIG_TIMESTAMP:
      return formatTimestamp(r.ref[index] as bigint)
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      return formatLocalTimestamp(r.microsecondsOf(index))
    case TAG.DATE:
      return formatDate(r.num[index] as number)
    case TAG.INTERVAL:
    case TAG.BIG_INTERVAL:
      return formatInterval(intervalOf(r, index))
    default:
      return undefined
  }
}
