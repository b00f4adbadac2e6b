/** Owns UNION, INTERSECT and EXCEPT: outputs of both sides in one type, in SQLite's order of evaluation. */
import { at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Expression } from '../sql/expression.ts'
import type { SelectStmt } from '../sql/parse-statement.ts'
import { unifyTypes } from '../sql/unify-types.ts'
import { unsupported } from '../sql/unsupported.ts'
import { type CompileContext, type Surroundings } from './compile-context.ts'
import { outputTail, type OutputTail } from './output-tail.ts'
import type { PlanColumn, SelectPlan } from './select-plan.ts'

const OPERATORS: Readonly<Record<string, string>> = {
  SETOP_UNION: 'UNION',
  SETOP_INTERSECT: 'INTERSECT',
  SETOP_EXCEPT: 'EXCEPT',
}

export function compileSetOperation(
  select: SelectStmt,
  surroundings: Surroundings,
  context: CompileContext,
): SelectPlan {
  const { larg, rarg, all } = select
  const name = OPERATORS[select.op ?? '']
  if (larg === undefined || rarg === undefined || name === undefined)
    throw unsupported(`${select.op} is not supported`, context.positionWithin(select))
  const left = context.compileSelect(larg, surroundings)
  const right = context.compileSelect(rarg, surroundings)
  const columns = unifyColumns(name, left.columns, right.columns, context.positionWithin(rarg))
  const operator = all === true ? `${name} ALL` : name
  return combinePlans(operator, left, right, columns, outputTail(select, columns, surroundings, context))
}

/** The set operation of two plans whose outputs have been unified. */
export function combinePlans(
  operator: string,
  left: SelectPlan,
  right: SelectPlan,
  columns: readonly PlanColumn[],
  tail: OutputTail,
): SelectPlan {
  const setTypes = (types: readonly ScalarType[], comparesRows: boolean): void => {
    left.coerce(types, comparesRows)
    right.coerce(types, comparesRows)
  }
  setTypes(
    columns.map(({ type }) => type),
    operator !== 'UNION ALL',
  )
  return {
    columns,
    coerce: setTypes,
    measureSource: () => undefined,
    groupSource: () => undefined,
    addRowLabels: () => [],
    // SQLite evaluates from left to right whatever the operator: brackets keep PostgreSQL's order
    isPlain: false,
    isSingleRow: tail.isSingleRow,
    render: () => tail.behind(combinedText(operator, left, right, columns.length)),
  }
}

/** SQLite has no ALL of INTERSECT and EXCEPT: there equal rows of a side are numbered, and the numbers count as a column. */
function combinedText(operator: string, left: SelectPlan, right: SelectPlan, columnCount: number): string {
  if (operator !== 'INTERSECT ALL' && operator !== 'EXCEPT ALL') return `${toArm(left)} ${operator} ${toArm(right)}`
  const columns = Array.from({ length: columnCount }, (_, index) => `c${index}`).join(', ')
  const numbered = (plan: SelectPlan): string =>
    `SELECT ${columns}, row_number() OVER (PARTITION BY ${columns}) AS number FROM (${plan.render()})`
  return `SELECT ${columns} FROM (${numbered(left)} ${operator.replace(' ALL', '')} ${numbered(right)})`
}

function toArm(plan: SelectPlan): string {
  return plan.isPlain ? plan.render() : `SELECT * FROM (${plan.render()})`
}

/** Errors: sql_invalid for unequal counts, sql_type_mismatch. */
export function unifyColumns(
  what: string,
  left: readonly PlanColumn[],
  right: readonly PlanColumn[],
  position: number,
): PlanColumn[] {
  if (left.length !== right.length) {
    throw new RollupdError('sql_invalid', `the sides of ${what} have ${left.length} and ${right.length} outputs`, {
      position,
      hint: 'Select as many on both sides.',
    })
  }
  return left.map((column, index) => {
    const other = at(right, index)
    return {
      name: column.name,
      type: commonType(what, column, other, position),
      canFail: column.canFail || other.canFail,
    }
  })
}

function commonType(what: string, left: PlanColumn, right: PlanColumn, position: number): ScalarType {
  try {
    return unifyTypes(what, [toExpression(left), toExpression(right)], 0).type
  } catch (error) {
    // a literal that is no value of the other side's type says so itself
    if (!(error instanceof RollupdError) || error.code !== 'sql_type_mismatch') throw error
    throw new RollupdError(
      'sql_type_mismatch',
      `the output "${left.name}" of ${what} is ${left.type} on one side and ${right.type} on the other`,
      {
        position,
        hint: error.hint,
        cause: error,
      },
    )
  }
}

function toExpression({ type, canFail, open }: PlanColumn): Expression {
  return open ?? { kind: 'fragment', sql: '', type, canFail, position: 0 }
}
