/** Owns INTERVAL '5' MINUTE, the standard's way to write one: a whole number, and its unit behind the quotes. */
import type { Node, TypeCast } from './parse-statement.ts'
import { nameParts } from './name-parts.ts'

/** The grammar's mask of one unit. Source: PostgreSQL, datetime.h and timestamp.h. */
const UNITS: Readonly<Record<number, string>> = {
  2: 'month',
  4: 'year',
  8: 'day',
  1024: 'hour',
  2048: 'minute',
  4096: 'second',
}
const WHOLE = /^\s*[+-]?\d+\s*$/

/** The same with the unit inside the quotes; any other cast as it is. */
export function withUnitInside(cast: TypeCast): TypeCast {
  const { typeName, arg } = cast
  const [unit, ...more] = typeName?.typmods ?? []
  const isInterval = typeName !== undefined && nameParts(typeName.names).at(-1) === 'interval'
  if (!isInterval || unit === undefined || more.length > 0 || arg === undefined) return cast
  const word = UNITS[numberOf(unit) ?? 0]
  const text = 'A_Const' in arg ? arg.A_Const.sval?.sval : undefined
  if (word === undefined || text === undefined || !WHOLE.test(text) || !('A_Const' in arg)) return cast
  const { typmods: _, ...whole } = typeName
  const constant: Node = { A_Const: { ...arg.A_Const, sval: { sval: `${text.trim()} ${word}` } } }
  return { ...cast, arg: constant, typeName: whole }
}

function numberOf(node: Node): number | undefined {
  return 'A_Const' in node ? node.A_Const.ival?.ival : undefined
}
