/** Owns the names of a rollup statement: fields of the record by path, and its metadata under _meta. */
import { RollupdError } from '../core/errors.ts'
import type { Expression, Meta } from '../sql/expression.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { GroupingFunc } from '../sql/parse-statement.ts'
import type { Analyser, CallSite, NamePath, Scope } from '../sql/scope.ts'
import { followSteps } from '../sql/resolve-call.ts'
import { refuseGrouping } from './grouping-call.ts'
import type { UnnestPlan } from './plan.ts'

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
  readonly unnest?: UnnestPlan | undefined
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
    column: (path, position) => elementOf(path, position, options.unnest) ?? toField(path, position, options.alias),
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

/** `i`, `i.sku`, with names of their own `i.item.sku` and `item.sku`, and the number: `i.ordinality`. */
function elementOf(path: NamePath, position: number, unnest: UnnestPlan | undefined): Expression | undefined {
  if (unnest === undefined) return undefined
  const { alias, element, ordinality } = unnest
  const [head, ...rest] = path
  const isQualified = head === alias && (element !== alias || rest[0] === ordinality)
  const [name, ...steps] = isQualified && typeof rest[0] === 'string' ? [rest[0], ...rest.slice(1)] : path
  if (ordinality !== undefined && name === ordinality && (isQualified || head === ordinality)) {
    const number: Meta = { kind: 'meta', name: 'ordinality', column: ordinality, type: 'bigint', position }
    return followSteps(number, steps, position)
  }
  if (name === element) return { kind: 'field', element, path: steps, type: 'any', position }
  if (!isQualified && head !== alias) return undefined
  throw new RollupdError('sql_unknown_column', `UNNEST ... AS ${alias} has no column "${String(rest[0] ?? alias)}"`, {
    position,
    hint: `Its columns are ${[element, ...(ordinality === undefined ? [] : [ordinality])].join(' and ')}.`,
  })
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
