/**
 * Owns the cut through an expression: what is grouped becomes a group value, each aggregate call a partial (equal calls are one, those too that differ in their parameter),
 * and what is left is computed from them at read time.
 */
import { findAggregate, resolveAggregate } from '../aggregates/aggregate-table.ts'
import { RollupdError } from '../core/errors.ts'
import type { AggregateCall, Expression, Field, GroupingCall, PartialValue } from '../sql/expression.ts'
import { quoteName } from '../sql/identifier.ts'
import { literal } from '../sql/literal.ts'
import { mapParts } from '../sql/map-parts.ts'
import { printExpression, type PrintNames } from '../sql/print-expression.ts'
import { resolveCall } from '../sql/resolve-call.ts'
import type { SelectedOutput } from './group-by.ts'
import { splitGrouping } from './grouping-call.ts'
import { expressionKey } from '../sql/expression-key.ts'

/** The call of the aggregate that keeps the state, or the source's partial: MEDIAN reads what PERCENTILE_CONT keeps. */
function stateCall(call: AggregateCall | PartialValue): AggregateCall | PartialValue {
  // whoever reads the source's state, and as what, it is one
  if (call.kind === 'partial') return { kind: 'partial', index: call.index, type: 'any', position: call.position }
  const { parameter: _, ...written } = call
  const types = call.args.map(({ type }) => type)
  const owner = findAggregate(call.name, call.distinct)?.stateOwner?.(types) ?? call.name
  const aggregate = owner === call.name ? undefined : resolveAggregate(owner, types, call.distinct)
  return aggregate === undefined ? written : { ...written, name: owner, type: aggregate.type }
}

/** The aggregate that reads the state, where another one keeps it. */
function finalizerOf(call: AggregateCall | PartialValue, state: AggregateCall | PartialValue): string | undefined {
  if (call.kind === 'partial') return call.finalizer
  return state.kind === 'aggregate' && state.name !== call.name ? call.name : undefined
}

export class Splitter {
  readonly #groups: ReadonlyMap<string, number>
  readonly #groupTypes: readonly Expression[]
  readonly #outputs: readonly SelectedOutput[]
  readonly #partials = new Map<string, { readonly call: AggregateCall | PartialValue; readonly index: number }>()
  readonly #names: PrintNames

  /** Number of GROUPING over all expressions among the groups; undefined: there is one grouping set. */
  readonly #bits: number | undefined

  /** `groups`: the grouping expressions, and behind them GROUPING over all of them where there are grouping sets. */
  constructor(groups: readonly Expression[], outputs: readonly SelectedOutput[], names: PrintNames) {
    this.#names = names
    this.#groupTypes = groups
    this.#outputs = outputs
    this.#bits = groups.at(-1)?.kind === 'grouping' ? groups.length - 1 : undefined
    this.#groups = new Map(groups.map((group, index) => [expressionKey(group), index]))
  }

  /** The aggregate calls, or partials of a source, met so far without their parameters, in the order of their first appearance. */
  get partials(): readonly (AggregateCall | PartialValue)[] {
    return [...this.#partials.values()].map(({ call }) => call)
  }

  /** The expression over group and partial values. Errors: sql_invalid for a field that is not grouped. */
  split(expression: Expression): Expression {
    const group = this.#groups.get(expressionKey(expression))
    if (group !== undefined) {
      return { kind: 'group', index: group, type: expression.type, position: expression.position }
    }
    switch (expression.kind) {
      case 'aggregate':
      case 'partial':
        return this.#partialOf(expression)
      case 'field':
        return this.#partOfGroup(expression) ?? this.#refuse(expression)
      case 'meta':
      case 'group':
        return this.#refuse(expression)
      case 'grouping':
        return this.#splitGrouping(expression)
      default:
        return this.#splitParts(expression)
    }
  }

  #splitParts(expression: Expression): Expression {
    // Literals inside stay literals even where the same literal is grouped: units and patterns are read once, at planning.
    const part = (child: Expression): Expression => (child.kind === 'literal' ? child : this.split(child))
    return mapParts(expression, part)
  }

  #splitGrouping(call: GroupingCall): Expression {
    const index = this.#bits
    const bits = index === undefined ? undefined : ({ kind: 'group', index, type: 'bigint', position: 0 } as const)
    const groupCount = index ?? this.#groupTypes.length
    return splitGrouping(call, bits, groupCount, (argument) => this.#groups.get(expressionKey(argument)))
  }

  #partialOf(call: AggregateCall | PartialValue): Expression {
    const state = stateCall(call)
    const key = expressionKey(state)
    const known = this.#partials.get(key)
    const index = known?.index ?? this.#partials.size
    if (known === undefined) this.#partials.set(key, { call: state, index })
    const { parameter } = call
    const finalizer = finalizerOf(call, state)
    return {
      kind: 'partial',
      index,
      ...(finalizer === undefined ? {} : { finalizer }),
      ...(parameter === undefined ? {} : { parameter }),
      type: call.type,
      position: call.position,
    }
  }

  /** A path into a grouped field: the steps behind the group's own, at read time. */
  #partOfGroup(field: Field): Expression | undefined {
    const { path, position } = field
    // an element itself may be grouped, the record may not
    const least = field.element === undefined ? 1 : 0
    for (let length = path.length - 1; length >= least; length--) {
      const start: Field = { ...field, path: path.slice(0, length) }
      if (!this.#groups.has(expressionKey(start))) continue
      return path.slice(length).reduce<Expression>((value, step) => {
        const argument = literal(typeof step === 'string' ? 'text' : 'bigint', String(step), position)
        return resolveCall({ form: 'operator', name: '->', args: [value, argument], position })
      }, this.split(start))
    }
    return undefined
  }

  #refuse(expression: Expression): never {
    const name = this.#print(expression)
    const message =
      expression.kind === 'group'
        ? `the grouping column ${name} of the source must be in GROUP BY`
        : `the field ${name} must be in GROUP BY or inside an aggregate`
    throw new RollupdError('sql_invalid', message, {
      position: expression.position,
      hint: this.#hintFor(expression, name),
    })
  }

  #hintFor(expression: Expression, name: string): string {
    const output = this.#outputs.find((one) => quoteName(one.name) === name)
    if (output !== undefined && expressionKey(output.expression) !== expressionKey(expression)) {
      return `The output ${name} has no name here: write its expression, ${this.#print(output.expression)}.`
    }
    const around = this.#groupTypes.find((group) => expressionKey(group).includes(expressionKey(expression)))
    const ways =
      expression.kind === 'group'
        ? 'Add it to GROUP BY.'
        : `Add it to GROUP BY, or write an aggregate such as MAX(${name}).`
    return around === undefined ? ways : `It is grouped as ${this.#print(around)} only. ${ways}`
  }

  #print(expression: Expression): string {
    return printExpression(expression, this.#names)
  }
}
