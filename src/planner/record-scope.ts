/** Owns the names of a rollup statement: fields of the record by path, and its metadata under _meta. */
import { RollupdError } from '../core/errors.ts'
import type { Expression, Meta } from '../sql/expression.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { GroupingFunc } from '../sql/parse-statement.ts'
import type { Analyser, CallSite, NamePath, Scope } from '../sql/scope.ts'
import { refuseGrouping } from './grouping-call.ts'

/** The table of records in FROM. */
export const INPUT = '_input'
const META = '_meta'
const META_TYPES = {
  topic: 'text',
  partition: 'bigint',
  offset: 'bigint',
  timestamp: 'timestamptz',
  key: 'text',
} as const

export interface RecordScopeOptions {
  readonly clause: string
  /** FROM _input AS alias */
  readonly alias: string | undefined
  readonly call: (site: CallSite) => Expression | undefined
  readonly callNames: readonly string[]
  /** GROUPING(...); absent: refused. */
  readonly grouping?: (node: GroupingFunc, position: number, analyser: Analyser) => Expression
}

export function createRecordScope(options: RecordScopeOptions): Scope {
  return {
    clause: options.clause,
    callNames: options.callNames,
    call: options.call,
    column: (path, position) => toField(path, position, options.alias),
    node: (node, position, analyser) => {
      if (!('GroupingFunc' in node)) return undefined
      return options.grouping?.(node.GroupingFunc, position, analyser) ?? refuseGrouping(options.clause, position)
    },
  }
}

/** A bare `_input` is the whole record: only a step into it by -> makes a field of it. */
function toField(path: NamePath, position: number, alias: string | undefined): Expression {
  const [head, ...rest] = path
  if (head === META && head !== alias) return toMeta(rest, position)
  const fieldPath = head === INPUT || head === alias ? rest : path
  if (typeof fieldPath[0] === 'number') {
    throw new RollupdError('sql_invalid', 'a record is an object and has no subscripts', { position })
  }
  return { kind: 'field', path: fieldPath, type: 'any', position }
}

function toMeta(path: readonly (string | number)[], position: number): Meta {
  const [name, header, ...more] = path
  if (name === 'headers' && typeof header === 'string' && more.length === 0) {
    return { kind: 'meta', name: 'header', header, type: 'text', position }
  }
  if (typeof name === 'string' && Object.hasOwn(META_TYPES, name) && header === undefined) {
    const known = name as keyof typeof META_TYPES
    return { kind: 'meta', name: known, type: META_TYPES[known], position }
  }
  const written = [META, ...path].join('.')
  const names = [...Object.keys(META_TYPES), 'headers.NAME'].map((known) => `${META}.${known}`)
  throw new RollupdError('sql_unknown_column', `there is no ${written}`, {
    position,
    hint: `${didYouMean(written, names) ?? `The metadata are ${names.join(', ')}.`} A field of that name is ${INPUT}.${written}.`,
  })
}
