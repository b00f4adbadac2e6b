/** Owns the name of an output without AS. Source: PostgreSQL's FigureColname. */
import type { Node, ResTarget } from './parse-statement.ts'
import { nameParts } from './name-parts.ts'

/** Where PostgreSQL finds no name. */
const NO_NAME = '?column?'

/** How sure a name is: a cast's own type name gives way to a name from inside. */
const NONE = 0
const WEAK = 1
const SURE = 2
interface Figured {
  readonly name: string
  readonly strength: number
}
const UNNAMED: Figured = { name: NO_NAME, strength: NONE }

/** The name of an output: what AS says, else what PostgreSQL calls it (`count`, `date_trunc`, `case`, `?column?`). */
export function outputName(target: ResTarget): string {
  return target.name ?? (target.val === undefined ? UNNAMED : figure(target.val)).name
}

function figure(node: Node): Figured {
  if ('ColumnRef' in node) return lastName(node.ColumnRef.fields) ?? UNNAMED
  if ('A_Indirection' in node) {
    return (
      lastName(node.A_Indirection.indirection) ??
      (node.A_Indirection.arg === undefined ? UNNAMED : figure(node.A_Indirection.arg))
    )
  }
  if ('FuncCall' in node) return lastName(node.FuncCall.funcname) ?? UNNAMED
  if ('A_Expr' in node) return node.A_Expr.kind === 'AEXPR_NULLIF' ? sure('nullif') : UNNAMED
  if ('TypeCast' in node) return figureCast(node.TypeCast.arg, lastName(node.TypeCast.typeName?.names))
  if ('CollateClause' in node) return node.CollateClause.arg === undefined ? UNNAMED : figure(node.CollateClause.arg)
  if ('CaseExpr' in node) {
    const inside = node.CaseExpr.defresult === undefined ? UNNAMED : figure(node.CaseExpr.defresult)
    return inside.strength === SURE ? inside : { name: 'case', strength: WEAK }
  }
  if ('CoalesceExpr' in node) return sure('coalesce')
  if ('GroupingFunc' in node) return sure('grouping')
  if ('A_ArrayExpr' in node) return sure('array')
  if ('RowExpr' in node) return sure('row')
  if ('MinMaxExpr' in node) return sure(node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest')
  if ('SubLink' in node) return figureSubquery(node)
  return UNNAMED
}

function sure(name: string): Figured {
  return { name, strength: SURE }
}

function lastName(parts: readonly Node[] | undefined): Figured | undefined {
  const name = nameParts(parts).at(-1)
  return name === undefined ? undefined : sure(name)
}

function figureCast(argument: Node | undefined, type: Figured | undefined): Figured {
  const inside = argument === undefined ? UNNAMED : figure(argument)
  if (inside.strength === SURE || type === undefined) return inside
  return { name: type.name, strength: WEAK }
}

function figureSubquery(node: Extract<Node, { SubLink: unknown }>): Figured {
  const { subLinkType, subselect } = node.SubLink
  if (subLinkType === 'EXISTS_SUBLINK') return sure('exists')
  if (subLinkType === 'ARRAY_SUBLINK') return sure('array')
  if (subLinkType !== 'EXPR_SUBLINK' || subselect === undefined || !('SelectStmt' in subselect)) return UNNAMED
  const [target] = subselect.SelectStmt.targetList ?? []
  if (target === undefined || !('ResTarget' in target)) return UNNAMED
  return sure(outputName(target.ResTarget))
}
