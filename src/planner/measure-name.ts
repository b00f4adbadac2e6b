/** Owns the word MEASURE: its name as a call, and what an output is named that it makes. */
import { lastNamePart, pathOf } from '../sql/name-parts.ts'
import type { ResTarget } from '../sql/parse-statement.ts'

/** Its name as a call. */
export const MEASURE = 'measure'

/** MEASURE(avg_latency) is named avg_latency; undefined for another output, and for one with a name of its own. */
export function measureName({ name, val }: ResTarget): string | undefined {
  if (name !== undefined || val === undefined || !('FuncCall' in val)) return undefined
  const { funcname, args } = val.FuncCall
  const called = lastNamePart(funcname)
  const [argument] = args ?? []
  if (called !== MEASURE || argument === undefined || !('ColumnRef' in argument)) return undefined
  return pathOf(argument.ColumnRef).at(-1)
}
