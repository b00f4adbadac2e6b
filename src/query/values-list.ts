/** Owns VALUES (...), (...): rows that are written out, with PostgreSQL's column names. */
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import type { Expression } from '../sql/expression.ts'
import type { Node, SelectStmt } from '../sql/parse-statement.ts'
import { unifyTypes } from '../sql/unify-types.ts'
import type { CompileContext, Surroundings } from './compile-context.ts'
import { EMPTY_NAMESPACE } from './namespace.ts'
import { outputTail } from './output-tail.ts'
import { QueryScope } from './query-scope.ts'
import type { PlanColumn, SelectPlan } from './select-plan.ts'

export function compileValues(select: SelectStmt, surroundings: Surroundings, context: CompileContext): SelectPlan {
  const scope = new QueryScope('VALUES', { context, namespace: EMPTY_NAMESPACE, surroundings })
  const analyser = context.analyser(scope)
  const lists = (select.valuesLists ?? []).map(itemsOf)
  const width = at(lists, 0).length
  for (const list of lists) {
    if (list.length === width) continue
    throw new RollupdError('sql_invalid', `the rows of VALUES have ${width} and ${list.length} values`, {
      position: context.positionOf(locationOf(at(list, 0))),
      hint: 'Write as many in each row; NULL stands for none.',
    })
  }
  const written = lists.map((list) => list.map((node) => analyser.analyse(node)))
  const columns = Array.from({ length: width }, (_, index) =>
    toColumn(
      written.map((row) => at(row, index)),
      index,
      context,
    ),
  )
  let types: readonly ScalarType[] = columns.map(({ type }) => type)
  let comparesRows = false
  const tail = outputTail(select, columns, surroundings, context)
  return {
    columns,
    coerce: (given, isCompared) => {
      types = given
      comparesRows ||= isCompared
    },
    measureSource: () => undefined,
    groupSource: () => undefined,
    addRowLabels: () => [],
    isPlain: tail.isEmpty,
    isSingleRow: lists.length === 1 || tail.isSingleRow,
    render: () => {
      const rows = lists.map((_, row) => {
        const cells = columns.map(({ expressions }, index) => {
          const text = context.printer.printAs(at(expressions, row), at(types, index))
          return comparesRows && types[index] === 'interval' ? context.printer.printKey(text, 'interval') : text
        })
        return `(${cells.join(', ')})`
      })
      const names = columns.map((_, index) => `column${index + 1} AS c${index}`)
      return tail.behind(`SELECT ${names.join(', ')} FROM (VALUES ${rows.join(', ')})`)
    },
  }
}

function itemsOf(node: Node): readonly Node[] {
  assert('List' in node && node.List.items !== undefined, 'a row of VALUES is a list')
  return node.List.items
}

interface ValuesColumn extends PlanColumn {
  /** One for each row, of the column's type. */
  readonly expressions: readonly Expression[]
}

function toColumn(values: readonly Expression[], index: number, context: CompileContext): ValuesColumn {
  const { type, expressions } = unifyTypes('VALUES', values, at(values, 0).position)
  const canFail = expressions.some((expression) => context.printer.canFail(expression))
  return { name: `column${index + 1}`, type, canFail, expressions }
}
