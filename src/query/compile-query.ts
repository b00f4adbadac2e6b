/** Owns the way from a query's statement to SQLite text: what it reads, its columns, and what runs after it. */
import { RollupdError } from '../core/errors.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { parseStatement, type ParseOptions, type SelectStmt } from '../sql/parse-statement.ts'
import { CompileContext, type MayFold, NO_CTES, type Surroundings } from './compile-context.ts'
import type { FoldRequest } from './fold-request.ts'
import type { KindProbe } from './kind-probe.ts'
import { ParameterValues } from './parameter-values.ts'
import type { CatalogRollup, QueryCatalog } from './query-catalog.ts'
import type { QueryParameters } from './query-request.ts'
import type { RowLabels, SelectPlan } from './select-plan.ts'
import { compileSetOperation } from './set-operation.ts'
import { compileSimpleSelect } from './simple-select.ts'
import type { SqliteFunctions } from './sqlite-functions.ts'
import { compileValues } from './values-list.ts'
import { compileWith } from './with-clause.ts'

export interface CompiledQuery {
  /** Read-only SQLite text; its functions are registered on the connection that it was compiled for. */
  readonly sqlText: string
  /** What is asked of it instead of its rows. */
  readonly explain: 'plan' | 'analyze' | undefined
  /** Doubles that are bound by name. */
  readonly bindings: Readonly<Record<string, number>>
  readonly columns: readonly { readonly name: string; readonly type: ScalarType; readonly canFail: boolean }[]
  /** Columns behind the answer's, which name the group of each row. */
  readonly rowLabels: RowLabels
  /** Comparisons that may have passed over values of another kind. */
  readonly probes: readonly KindProbe[]
  readonly rollups: readonly CatalogRollup[]
  /** What its folded tables hold, by number; to be set before it is run (folded-table.ts). */
  readonly folds: readonly FoldRequest[]
  /** Counts of the groups that HAVING hid from a MEASURE, to be run in the same transaction. */
  readonly hiddenGroups: readonly { readonly rollup: string; readonly sqlText: string }[]
}

export interface CompileOptions extends ParseOptions {
  /** The statement is that of the view of this name, which must not read itself. */
  readonly view?: string | undefined
  /** Absent: all is read from the groups themselves. */
  readonly mayFold?: MayFold | undefined
}

/**
 * Compiles one SELECT.
 * Errors: all of sql_*, unknown_rollup, bad_parameter, statement_too_long; with position and hint.
 */
export function compileQuery(
  sql: string,
  params: QueryParameters,
  catalog: QueryCatalog,
  functions: SqliteFunctions,
  options: CompileOptions = {},
): CompiledQuery {
  functions.startQuery()
  const { view, mayFold, ...parsing } = options
  const statement = parseStatement(sql, { ...parsing, takesExplain: view === undefined })
  // a view's are refused where they stand
  const parameters = new ParameterValues(params, view === undefined ? statement.parameterNames : [])
  const context = CompileContext.create(
    catalog,
    statement,
    parameters,
    functions,
    compileSelect,
    view === undefined ? [] : [view],
    mayFold,
  )
  const plan = context.compileSelect(statement.select, { ctes: NO_CTES, outer: undefined })
  refuseDuplicates(plan)
  const rowLabels = plan.columns.some(({ canFail }) => canFail) ? plan.addRowLabels() : []
  const sqlText = plan.render()
  return {
    sqlText,
    folds: context.folds.map((fold) => fold.request()),
    explain: statement.explain,
    bindings: context.parts.doubles.values,
    columns: plan.columns,
    rowLabels,
    probes: context.parts.probes,
    rollups: [...context.rollups.values()],
    hiddenGroups: context.hiddenGroups.map(({ hiding, sqlText: render }) => {
      hiding.showHidden(true)
      const text = render()
      hiding.showHidden(false)
      return { rollup: hiding.name, sqlText: text }
    }),
  }
}

function compileSelect(select: SelectStmt, surroundings: Surroundings, context: CompileContext): SelectPlan {
  if (select.withClause !== undefined) return compileWith(select, surroundings, context)
  if (select.op !== undefined && select.op !== 'SETOP_NONE') return compileSetOperation(select, surroundings, context)
  if (select.valuesLists !== undefined) return compileValues(select, surroundings, context)
  return compileSimpleSelect(select, surroundings, context)
}

function refuseDuplicates({ columns }: SelectPlan): void {
  const seen = new Set<string>()
  for (const { name } of columns) {
    if (seen.has(name)) {
      throw new RollupdError('sql_invalid', `two outputs have the name "${name}"`, {
        hint: 'Rename one of them with AS.',
      })
    }
    seen.add(name)
  }
}
