/** Owns the count of runs in which each function, operator, form and aggregate took part: read from the plans, not from the generator. */
import { AGGREGATES } from '../../src/aggregates/aggregate-table.ts'
import type { RollupPlan } from '../../src/planner/plan.ts'
import { childrenOf, type Expression } from '../../src/sql/expression.ts'
import { FUNCTION_IDS } from './signatures.ts'

/** Nodes of the expression tree that stand for forms of SQL. */
const FORMS = ['and', 'or', 'case', 'coalesce', 'try', 'in'] as const
/** A form that has become comparisons in a plan: those who write it say so. */
export const BETWEEN = 'between'

/** How features and this table call an aggregate: `sum()`, `count(distinct)`. */
export function aggregateId(name: string, distinct: boolean): string {
  return `${name}(${distinct ? 'distinct' : ''})`
}

export class Coverage {
  readonly #runs = new Map<string, number>(
    [
      ...[...FUNCTION_IDS, ...FORMS, BETWEEN, 'filter'],
      ...AGGREGATES.map(({ name, form }) => aggregateId(name, form === 'distinct')),
    ].map((name) => [name, 0]),
  )

  /** One run; what occurs several times in it counts once. `more`: names that its plans don't show. */
  add(plans: readonly RollupPlan[], more: Iterable<string> = []): void {
    const seen = new Set<string>(more)
    for (const { ingest, wrap } of plans) {
      // an aggregate may read a state that another one keeps
      const note: Note = (node) => {
        if (node.kind !== 'partial') return
        const partial = ingest.partials[node.index]
        if (partial !== undefined) seen.add(aggregateId(node.finalizer ?? partial.aggregate, partial.distinct))
      }
      for (const { expression } of [...ingest.groupBy, ...wrap.outputs]) visit(expression, seen, note)
      for (const condition of [ingest.where, wrap.having]) if (condition !== null) visit(condition, seen, note)
      for (const { args, filter } of ingest.partials) {
        for (const argument of args) visit(argument, seen)
        if (filter === null) continue
        seen.add('filter')
        visit(filter, seen)
      }
    }
    for (const name of seen) this.#runs.set(name, (this.#runs.get(name) ?? 0) + 1)
  }

  /** Of each name. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#runs)
  }
}

type Note = (node: Expression) => void

function visit(expression: Expression, seen: Set<string>, note?: Note): void {
  note?.(expression)
  if (expression.kind === 'call') seen.add(expression.function)
  else if ((FORMS as readonly string[]).includes(expression.kind)) seen.add(expression.kind)
  childrenOf(expression).forEach((child) => visit(child, seen, note))
}
