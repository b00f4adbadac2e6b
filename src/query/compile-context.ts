/** Owns what all parts of the compiler share while one statement is compiled. */
import { RollupdError } from '../core/errors.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import { createAnalyser } from '../sql/analyse-expression.ts'
import type { Literal } from '../sql/expression.ts'
import { firstLocation } from '../sql/first-location.ts'
import type { SelectStmt, Statement } from '../sql/parse-statement.ts'
import type { Analyser, Scope } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { ConditionPrinter } from './condition-printer.ts'
import { ExpressionPrinter, type PrinterParts } from './expression-printer.ts'
import { ParameterValues } from './parameter-values.ts'
import type { FoldedRollup } from './folded-rollup.ts'
import type { CatalogRollup, QueryCatalog } from './query-catalog.ts'
import type { HidesGroups, Relation } from './relation.ts'
import type { SelectPlan } from './select-plan.ts'
import type { SqliteFunctions } from './sqlite-functions.ts'
import { BoundDoubles } from './sqlite-text.ts'

/** Where a SELECT stands: the WITH names it sees, and the scope around it that a correlated subquery may read. */
export interface Surroundings {
  readonly ctes: CteNames
  readonly outer: OuterNames | undefined
}

/** Names that a subquery may reach around it, with a list of them for suggestions. */
export interface OuterNames extends Pick<Scope, 'column'> {
  columnNames(): readonly string[]
  hasColumn(path: readonly (string | number)[]): boolean
}

/** Names of WITH, the innermost first. */
export interface CteNames {
  find(name: string): ((alias: string) => Relation) | undefined
}

export const NO_CTES: CteNames = { find: () => undefined }

export type CompileSelect = (select: SelectStmt, surroundings: Surroundings, context: CompileContext) => SelectPlan

/** A count of the groups that HAVING hid from a MEASURE. */
export interface HiddenGroups {
  readonly hiding: HidesGroups
  /** Rendered while the rollup shows what it hides. */
  readonly sqlText: () => string
}

/** Each is compiled where it stands, so views that join others with themselves double the work; SQLite takes 200 tables. */
const VIEWS_MAX = 200

/** Whether a rollup's groups may be folded before a statement reads them. */
export type MayFold = (rollup: CatalogRollup) => boolean

/** What the SELECT of a query and those of the views in it have in common. */
interface Shared {
  readonly catalog: QueryCatalog
  readonly parts: PrinterParts
  readonly printer: ExpressionPrinter
  readonly conditions: ConditionPrinter
  readonly compileSelect: CompileSelect
  readonly rollups: Map<number, CatalogRollup>
  readonly hiddenGroups: HiddenGroups[]
  readonly folds: FoldedRollup[]
  readonly mayFold: MayFold | undefined
  aliasCount: number
  viewCount: number
}

export class CompileContext {
  readonly statement: Statement
  readonly parameters: ParameterValues
  /** The views in whose SELECT this is, the outermost first. */
  readonly views: readonly string[]
  readonly #shared: Shared

  constructor(statement: Statement, parameters: ParameterValues, shared: Shared, views: readonly string[]) {
    this.statement = statement
    this.parameters = parameters
    this.views = views
    this.#shared = shared
  }

  /** For a query; `views`: the view whose statement it is. */
  static create(
    catalog: QueryCatalog,
    statement: Statement,
    parameters: ParameterValues,
    functions: SqliteFunctions,
    compileSelect: CompileSelect,
    views: readonly string[],
    mayFold: MayFold | undefined,
  ): CompileContext {
    const parts = { functions, doubles: new BoundDoubles(), paths: new Map(), probes: [] }
    const printer = new ExpressionPrinter(parts)
    const conditions = new ConditionPrinter(printer)
    const found = { rollups: new Map(), hiddenGroups: [], folds: [], mayFold, aliasCount: 0, viewCount: 0 }
    return new CompileContext(
      statement,
      parameters,
      { catalog, parts, printer, conditions, compileSelect, ...found },
      views,
    )
  }

  /** For the statement of a view in FROM. Errors: sql_unsupported, beyond VIEWS_MAX. */
  ofView(name: string, statement: Statement, position: number): CompileContext {
    if (++this.#shared.viewCount > VIEWS_MAX) {
      throw unsupported(
        `the statement reads more than ${VIEWS_MAX} views, those inside of views included`,
        position,
        'Read a view that is needed several times once, in WITH.',
      )
    }
    return new CompileContext(statement, new ParameterValues([], []), this.#shared, [...this.views, name])
  }

  get catalog(): QueryCatalog {
    return this.#shared.catalog
  }

  get parts(): PrinterParts {
    return this.#shared.parts
  }

  get printer(): ExpressionPrinter {
    return this.#shared.printer
  }

  get conditions(): ConditionPrinter {
    return this.#shared.conditions
  }

  get rollups(): Map<number, CatalogRollup> {
    return this.#shared.rollups
  }

  /** Run after the statement: how many groups HAVING hid from a MEASURE. */
  get hiddenGroups(): HiddenGroups[] {
    return this.#shared.hiddenGroups
  }

  /** The rollups that are read as folded groups; a place is the number in the text. */
  get folds(): FoldedRollup[] {
    return this.#shared.folds
  }

  /** Undefined: the statement is over the groups themselves. */
  get mayFold(): MayFold | undefined {
    return this.#shared.mayFold
  }

  compileSelect(select: SelectStmt, surroundings: Surroundings): SelectPlan {
    return this.#shared.compileSelect(select, surroundings, this)
  }

  /** A name of its own in the SQLite text. */
  newAlias(prefix: string): string {
    return `${prefix}${this.#shared.aliasCount++}`
  }

  analyser(scope: Scope): Analyser {
    return createAnalyser(this.statement, scope)
  }

  positionOf(location: number | undefined): number {
    return this.statement.positionOf(location)
  }

  /** Of a part that has no place of its own: its leftmost piece's. */
  positionWithin(node: unknown): number {
    return this.statement.positionOf(firstLocation(node))
  }

  parameter(number: number, position: number): Literal {
    if (this.views.length > 0) {
      throw unsupported('parameters are not allowed in a view', position, 'Write the value itself, or filter the view.')
    }
    return this.parameters.literal(number, position)
  }

  /** Errors: unknown_rollup with the nearest names. */
  rollup(name: string, position: number): CatalogRollup {
    const rollup = this.catalog.find(name)
    if (rollup === undefined) {
      throw new RollupdError('unknown_rollup', `there is no rollup "${name}"`, {
        position,
        hint: didYouMean(name, this.catalog.names()),
      })
    }
    this.rollups.set(rollup.id, rollup)
    return rollup
  }
}
