/** Owns the two halves as SQL that a person can read, and the plan as a whole as text. */
import type { Expression } from '../sql/expression.ts'
import { quoteLabel, quoteName } from '../sql/identifier.ts'
import { printExpression, printParameter, type PrintNames } from '../sql/print-expression.ts'
import type { IngestHalf, PlanSource, RollupPlan, UnnestPlan, WrapHalf } from './plan.ts'

/** The stored groups, as the wrap half's FROM. */
const GROUPS = 'groups'

/** `SELECT date_trunc('minute', ts::timestamptz) AS k0, COUNT(*) AS p0 FROM _input WHERE ok GROUP BY 1` */
export function printIngest(half: IngestHalf, from: string, names: PrintNames, source?: PlanSource): string {
  const { where, groupBy, groupingSets, partials } = half
  const outputs = [
    ...groupBy.map(({ column, expression }) => `${printExpression(expression, names)} AS ${column}`),
    ...partials.map(({ column, call }, index) => {
      const merged = source?.partials[index]
      return `${merged === undefined ? call : `merge(p${merged})`} AS ${column}`
    }),
  ]
  const filter = where === null ? '' : ` WHERE ${printExpression(where, names)}`
  const sets = groupingSets?.map(({ columns }) => `(${columns.map((index) => index + 1).join(', ')})`)
  const items = sets === undefined ? groupBy.map((_, index) => index + 1) : [`GROUPING SETS (${sets.join(', ')})`]
  const grouping = items.length === 0 ? '' : ` GROUP BY ${items.join(', ')}`
  return `SELECT ${outputs.join(', ')} FROM ${quoteName(from)}${printUnnest(half.unnest)}${filter}${grouping}`
}

function printUnnest(unnest: UnnestPlan | undefined): string {
  if (unnest === undefined) return ''
  const { path, isLeft, alias, element, ordinality } = unnest
  const array = printExpression({ kind: 'field', path, type: 'any', position: 0 })
  const names = ordinality === undefined ? [element] : [element, ordinality]
  const columns = element === alias && ordinality === undefined ? '' : `(${names.map(quoteName).join(', ')})`
  const call = `UNNEST(${array})${ordinality === undefined ? '' : ' WITH ORDINALITY'} AS ${quoteName(alias)}${columns}`
  return isLeft ? ` LEFT JOIN ${call} ON true` : ` CROSS JOIN ${call}`
}

/** `finished` says which partials need no last step: their state is the value (COUNT, MAX). */
export function printWrap({ outputs, having }: WrapHalf, finished: readonly boolean[]): string {
  const names: PrintNames = {
    group: (index) => `k${index}`,
    partial: ({ index, parameter, finalizer }) => {
      if (finished[index] === true && finalizer === undefined) return `p${index}`
      const given = parameter === undefined ? '' : `, ${printParameter(parameter)}`
      return `${finalizer === undefined ? 'finalize' : `finalize_${finalizer}`}(p${index}${given})`
    },
  }
  const print = (expression: Expression): string => printExpression(expression, names)
  const columns = outputs.map(({ name, expression }) => `${print(expression)} AS ${quoteLabel(name)}`)
  return `SELECT ${columns.join(', ')} FROM ${GROUPS}${having === null ? '' : ` WHERE ${print(having)}`}`
}

/** The plan for people: `rollupd plan`, goldens of tests. */
export function printPlan(plan: RollupPlan): string {
  const lines = ['ingest', `  ${plan.ingestSql}`, 'groups']
  for (const { column, expression, type, output } of plan.ingest.groupBy) {
    lines.push(
      `  ${column} ${type}: ${printExpression(expression)}${output === undefined ? '' : `, shown as ${quoteLabel(output)}`}`,
    )
  }
  lines.push('partials')
  for (const { column, call, type } of plan.ingest.partials) lines.push(`  ${column} ${type}: ${call}`)
  lines.push('wrap', `  ${plan.wrapSql}`, 'outputs')
  for (const { name, type, role } of plan.wrap.outputs) lines.push(`  ${quoteLabel(name)} ${type}, ${role}`)
  for (const warning of plan.warnings) lines.push(`warning: ${warning}`)
  return `${lines.join('\n')}\n`
}
