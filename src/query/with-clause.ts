/** Owns WITH and WITH RECURSIVE. */
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { CommonTableExpr, SelectStmt } from '../sql/parse-statement.ts'
import { unsupported } from '../sql/unsupported.ts'
import { type CompileContext, type CteNames, type Surroundings } from './compile-context.ts'
import { NO_TAIL } from './output-tail.ts'
import { SelectRelation } from './select-relation.ts'
import type { PlanColumn, SelectPlan } from './select-plan.ts'
import { combinePlans, unifyColumns } from './set-operation.ts'
import { nameParts } from '../sql/name-parts.ts'

/** A WITH item as its uses see it. */
interface Cte {
  readonly name: string
  /** SQLite's name, unique in the statement. */
  readonly alias: string
  readonly plan: SelectPlan
  readonly columns: readonly PlanColumn[]
}

/** Compiles WITH, and the SELECT behind it by the context. Errors: sql_invalid for a name that WITH has twice; what its parts are refused for. */
export function compileWith(select: SelectStmt, surroundings: Surroundings, context: CompileContext): SelectPlan {
  const { withClause, ...body } = select
  assert(withClause !== undefined, 'a SELECT with WITH')
  const ctes: Cte[] = []
  let names = surroundings.ctes
  for (const node of withClause.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue
    const inside = { ctes: names, outer: surroundings.outer }
    const cte = compileCte(node.CommonTableExpr, withClause.recursive === true, inside, context)
    if (ctes.some(({ name }) => name === cte.name))
      throw new RollupdError('sql_invalid', `WITH has the name "${cte.name}" twice`)
    ctes.push(cte)
    names = extend(names, cte)
  }
  const counted = context.hiddenGroups.length
  const plan = context.compileSelect(body, { ctes: names, outer: surroundings.outer })
  const withText = (): string => `WITH RECURSIVE ${ctes.map(render).join(', ')} `
  for (let index = counted; index < context.hiddenGroups.length; index++) {
    const { hiding, sqlText } = at(context.hiddenGroups, index)
    context.hiddenGroups[index] = { hiding, sqlText: () => withText() + sqlText() }
  }
  return {
    columns: plan.columns,
    coerce: (types, comparesRows) => plan.coerce(types, comparesRows),
    measureSource: (index) => plan.measureSource(index),
    groupSource: () => plan.groupSource(),
    addRowLabels: () => plan.addRowLabels(),
    isPlain: false,
    isSingleRow: plan.isSingleRow,
    render: () => withText() + plan.render(),
  }
}

function render({ alias, plan }: Cte): string {
  return `${alias} AS (${plan.render()})`
}

function extend(outer: CteNames, cte: Cte): CteNames {
  return { find: (name) => (name === cte.name ? (alias) => toRelation(cte, alias) : outer.find(name)) }
}

function toRelation({ alias: table, plan, columns }: Cte, alias: string): SelectRelation {
  return new SelectRelation(alias, plan, columns, () => table)
}

function compileCte(
  node: CommonTableExpr,
  recursive: boolean,
  surroundings: Surroundings,
  context: CompileContext,
): Cte {
  const name = node.ctename ?? ''
  const query = node.ctequery
  const position = context.positionOf(node.location)
  if (query === undefined || !('SelectStmt' in query))
    throw unsupported('WITH takes SELECT only', position, 'Queries only read.')
  if (node.search_clause !== undefined || node.cycle_clause !== undefined)
    throw unsupported('SEARCH and CYCLE are not supported', position)
  const alias = context.newAlias('w')
  const select = query.SelectStmt
  const given = nameParts(node.aliascolnames)
  if (recursive && readsName(select, name))
    return compileRecursive({ name, alias, select, given, position }, surroundings, context)
  const plan = context.compileSelect(select, surroundings)
  return { name, alias, plan, columns: rename(plan.columns, given, position) }
}

interface RecursiveParts {
  readonly name: string
  readonly alias: string
  readonly select: SelectStmt
  readonly given: readonly string[]
  readonly position: number
}

/** The first side says the types; both sides say which columns can fail, so the second is compiled again until that is stable. */
function compileRecursive(parts: RecursiveParts, surroundings: Surroundings, context: CompileContext): Cte {
  const { name, alias, select, given, position } = parts
  const { larg, rarg, op, all } = select
  if (op !== 'SETOP_UNION' || larg === undefined || rarg === undefined || readsName(larg, name)) {
    throw new RollupdError('sql_invalid', `the recursive WITH "${name}" is not of the form start UNION ALL step`, {
      position,
    })
  }
  if (select.sortClause !== undefined || select.limitCount !== undefined || select.limitOffset !== undefined) {
    throw unsupported(
      'ORDER BY and LIMIT of a recursive WITH are not supported',
      position,
      'Put them on the SELECT that reads it.',
    )
  }
  const start = context.compileSelect(larg, surroundings)
  let columns = rename(start.columns, given, position)
  for (;;) {
    const seen: Cte = { name, alias, plan: start, columns }
    const step = context.compileSelect(rarg, {
      ...surroundings,
      ctes: extend(surroundings.ctes, { ...seen, plan: withoutSource(start) }),
    })
    // the step was compiled with the types that the start has
    const typed = start.columns.map((column) => ({ ...column, open: undefined }))
    const unified = unifyColumns(`the recursive WITH "${name}"`, typed, step.columns, position)
    unified.forEach(({ type }, index) => checkType(at(columns, index), type, position))
    const next = columns.map((column, index) => ({ ...column, canFail: at(unified, index).canFail || column.canFail }))
    if (next.every(({ canFail }, index) => canFail === at(columns, index).canFail)) {
      return { ...seen, plan: combinePlans(all === true ? 'UNION ALL' : 'UNION', start, step, columns, NO_TAIL) }
    }
    columns = next
  }
}

/** Rows of a recursion are no groups of a rollup. */
function withoutSource(plan: SelectPlan): SelectPlan {
  return { ...plan, columns: plan.columns, measureSource: () => undefined, groupSource: () => undefined }
}

function checkType(column: PlanColumn, type: PlanColumn['type'], position: number): void {
  if (column.type === type) return
  throw new RollupdError(
    'sql_type_mismatch',
    `the column "${column.name}" of the recursive WITH begins as ${column.type} and becomes ${type}`,
    {
      position,
      hint: `Cast it in the first SELECT, for example with ::${type === 'double precision' ? 'float8' : type}.`,
    },
  )
}

function rename(columns: readonly PlanColumn[], given: readonly string[], position: number): PlanColumn[] {
  if (given.length > columns.length) {
    throw new RollupdError('sql_invalid', `WITH names ${given.length} columns, its SELECT has ${columns.length}`, {
      position,
    })
  }
  return columns.map((column, index) => ({ ...column, name: given[index] ?? column.name }))
}

/** Whether a SELECT names a table anywhere. */
function readsName(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false
  if ('RangeVar' in node && (node.RangeVar as { relname?: string }).relname === name) return true
  return Object.values(node).some((part) => readsName(part, name))
}
