/** Owns subqueries and WITH names in FROM: a compiled SELECT as a relation. */
import { at } from '../core/assert.ts'
import type { SqlFragment } from '../sql/expression.ts'
import type { GroupSource, MeasureSource, Relation, RelationColumn } from './relation.ts'
import type { PlanColumn, SelectPlan } from './select-plan.ts'

export class SelectRelation implements Relation {
  readonly alias: string
  readonly columns: readonly RelationColumn[]
  readonly #plan: SelectPlan
  readonly #text: () => string

  /** `text` is the item of FROM without its alias; absent: the SELECT in brackets. */
  constructor(alias: string, plan: SelectPlan, columns: readonly PlanColumn[], text?: () => string) {
    this.alias = alias
    this.#plan = plan
    this.columns = columns.map(({ name, type, canFail }) => ({ name, type, canFail, hidden: false }))
    this.#text = text ?? (() => `(${plan.render()})`)
  }

  column(index: number, position: number): SqlFragment {
    const { type, canFail } = at(this.columns, index)
    return { kind: 'fragment', sql: `${this.alias}.c${index}`, type, canFail, position }
  }

  measureSource(index: number): MeasureSource | undefined {
    const inner = this.#plan.measureSource(index)
    if (inner === undefined) return undefined
    const { groupingSet } = inner
    return {
      ...inner,
      states: (partial) => inner.states(partial).map((name) => `${this.alias}.${name}`),
      identity: () => `${this.alias}.${inner.identity()}`,
      groupingSet: groupingSet && { ...groupingSet, text: () => `${this.alias}.${groupingSet.text()}` },
      group: (group) => {
        const value = inner.group(group)
        return value === undefined ? undefined : { ...value, sql: `${this.alias}.${value.sql}` }
      },
    }
  }

  groupSource(): GroupSource | undefined {
    const inner = this.#plan.groupSource()
    if (inner === undefined) return undefined
    return { columns: inner.columns, texts: () => inner.texts().map((name) => `${this.alias}.${name}`) }
  }

  render(): string {
    return `${this.#text()} AS ${this.alias}`
  }
}
