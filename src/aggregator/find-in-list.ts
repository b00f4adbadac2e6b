/** Owns IN over a list of literals. */
import { TAG, type Registers } from '../core/registers.ts'
import type { Evaluate } from '../sql/function-entry.ts'

/** True where one of the items is equal; else null where one comparison is null; else false. */
export function findInList(
  items: readonly { readonly register: number; readonly evaluate: Evaluate }[],
  scratch: number,
): (r: Registers, out: number, argument: number) => void {
  return (r, out, argument) => {
    let unknown = r.tag[argument] === TAG.NULL
    for (let index = 0; index < items.length && r.tag[argument] !== TAG.NULL; index++) {
      const { register, evaluate } = items[index]!
      if (r.tag[register] === TAG.NULL) {
        unknown = true
        continue
      }
      evaluate(r, scratch, argument, register, 0, 0)
      const tag = r.tag[scratch]
      if (tag === TAG.ERROR) return r.copy(out, scratch)
      if (tag === TAG.NULL) unknown = true
      else if (r.num[scratch] === 1) return r.setBoolean(out, true)
    }
    if (unknown) r.setNull(out)
    else r.setBoolean(out, false)
  }
}
