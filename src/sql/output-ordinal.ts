/** Owns outputs named by their number: GROUP BY 1, ORDER BY 2. */
import { RollupdError } from '../core/errors.ts'
import type { A_Const } from './parse-statement.ts'

/** The output that a constant names. Errors: sql_invalid for a number without output and for any other constant. */
export function byOrdinal<Output>(
  constant: A_Const,
  clause: 'GROUP BY' | 'ORDER BY' | 'DISTINCT ON',
  outputs: readonly Output[],
  position: number,
): Output {
  // The grammar leaves a zero out.
  const ordinal = constant.ival === undefined ? undefined : (constant.ival.ival ?? 0)
  if (ordinal === undefined) {
    throw new RollupdError('sql_invalid', `${clause} takes no constant`, {
      position,
      hint: 'Write a name, an expression or the number of an output.',
    })
  }
  const output = outputs[ordinal - 1]
  if (output !== undefined) return output
  throw new RollupdError('sql_invalid', `${clause} ${ordinal}: there is no such output`, {
    position,
    hint: outputs.length === 1 ? 'There is one output.' : `The outputs are 1 to ${outputs.length}.`,
  })
}
