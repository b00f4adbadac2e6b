/** Owns where the errors of a clause end, and how its message names the group. */
import type { GuardPlace } from './condition-printer.ts'
import { describeGroup } from './group-name.ts'
import type { Relation } from './relation.ts'

/** A clause without one group for each of its rows. */
export function nowhere(what: string): GuardPlace {
  return { what, groupTexts: () => [], describe: () => '' }
}

/** A clause over rows of the relations; with one relation the group is named. */
export function toGuardPlace(what: string, relations: readonly Relation[]): GuardPlace {
  const [relation, ...more] = relations
  const source = more.length === 0 ? relation?.groupSource?.() : undefined
  if (source === undefined) return nowhere(what)
  return { what, groupTexts: () => source.texts(), describe: (cells) => describeGroup(source.columns, cells) }
}
