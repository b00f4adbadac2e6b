/** Owns the names of rollups and views, which share FROM and the paths of the API. */
import { RollupdError } from '../core/errors.ts'

const NAME = /^[a-z][a-z0-9_]{0,62}$/
/** Paths of the API where a rollup's name would stand. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['preview'])

/** Errors: bad_parameter. */
export function checkName(what: 'rollup' | 'view', name: string): void {
  if (!NAME.test(name)) {
    throw new RollupdError('bad_parameter', `${what} name "${name}" is not allowed`, {
      hint: 'A name begins with a letter and has at most 63 lower-case letters, digits and underscores.',
    })
  }
  if (RESERVED_NAMES.has(name)) {
    throw new RollupdError('bad_parameter', `${what} name "${name}" is taken by a path of the API`, {
      hint: 'Choose another name.',
    })
  }
}
