/** Owns what all parts of the compiler share while one statement is compiled. */
import { RollupdError } from '../core/errors.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import { createAnalyser } from '../sql/analyse-expression.ts'
import type { Literal } from '../sql/expression.ts'
import { firstLocation } from '../sql/first-location.ts'
import type { SelectStmt, Statement } from '../sql/parse-statement.ts'
import type { Analyser, Scope } from '../sql/scope.ts'
import { ConditionPrinter } from './condition-printer.ts'
import { ExpressionPrinter, type PrinterParts } from './expression-printer.ts'
import type { ParameterValues } from './parameter-values.ts'
import type { CatalogRollup, QueryCatalog } from './query-catalog.ts'
import type { HidesGroups, Relation } from './relation.ts'
import type { SelectPlan } from './select-plan.ts'
import type { SqliteFunctions } from './sqlite-functions.ts'
import { BoundDoubles } from './sqlite-text.ts'

/** Where a SELECT stands: the WITH names it sees, and the scope around it that a correlated subquery may read. */
export interface Surroundings {
  readonly ctes: CteNames
  readonly outer: OuterScope | undefined
}

/** A scope that a subquery's names may reach, with its column names for suggestions. */
export interface OuterScope extends Scope {
  columnNames(): readonly string[]
  hasColumn(path: readonly (string | number)[]): boolean
}

/** Names of WITH, the innermost first. */
export interface CteNames {
  find(name: string): ((alias: string) => Relation) | undefined
}

export const NO_CTES: CteNames = { find: () => undefined }

export type CompileSelect = (select: SelectStmt, surroundings: Surroundings) => SelectPlan

/** A count of the groups that HAVING hid from a MEASURE. */
export interface HiddenGroups {
  readonly hiding: HidesGroups
  /** Rendered while the rollup shows what it hides. */
  readonly sqlText: () => string
}

export class CompileContext {
  readonly catalog: QueryCatalog
  readonly statement: Statement
  readonly parameters: ParameterValues
  readonly parts: PrinterParts
  readonly printer: ExpressionPrinter
  readonly conditions: ConditionPrinter
  readonly compileSelect: CompileSelect
  readonly rollups = new Map<number, CatalogRollup>()
  /** Run after the statement: how many groups HAVING hid from a MEASURE. */
  readonly hiddenGroups: HiddenGroups[] = []
  #aliasCount = 0

  constructor(
    catalog: QueryCatalog,
    statement: Statement,
    parameters: ParameterValues,
    functions: SqliteFunctions,
    compileSelect: CompileSelect,
  ) {
    this.catalog = catalog
    this.statement = statement
    this.parameters = parameters
    this.parts = { functions, doubles: new BoundDoubles(), paths: new Map(), probes: [] }
    this.printer = new ExpressionPrinter(this.parts)
    this.conditions = new ConditionPrinter(this.printer)
    this.compileSelect = compileSelect
  }

  /** A name of its own in the SQLite text. */
  newAlias(prefix: string): string {
    return `${prefix}${this.#aliasCount++}`
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
