/** Owns which rollups a statement names, without a catalog: every table that isn't a name of a WITH around it. */
import { bareName, lastNamePart } from '../sql/name-parts.ts'
import type { Node, SelectStmt } from '../sql/parse-statement.ts'

/** Each once, in the order of the statement. */
export function rollupNamesOf(select: SelectStmt): string[] {
  const names = new Set<string>()
  visit({ SelectStmt: select }, [], names)
  return [...names]
}

function visit(node: unknown, ctes: readonly string[], names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  if ('withClause' in node) {
    visitWith(node as SelectStmt, ctes, names)
    return
  }
  if ('RangeVar' in node) {
    const { relname = '' } = node.RangeVar as { relname?: string }
    if (!ctes.includes(relname)) names.add(relname)
    return
  }
  if ('RangeFunction' in node) {
    const name = unfilteredName(node as Node)
    if (name !== undefined) names.add(name)
  }
  for (const part of Object.values(node)) visit(part, ctes, names)
}

/** An item sees those before it; with RECURSIVE also itself. */
function visitWith({ withClause, ...body }: SelectStmt, ctes: readonly string[], names: Set<string>): void {
  let seen = ctes
  for (const node of withClause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue
    const { ctename = '', ctequery } = node.CommonTableExpr
    const inside = [...seen, ctename]
    visit(ctequery, withClause?.recursive === true ? inside : seen, names)
    seen = inside
  }
  visit(body, seen, names)
}

/** r of FROM unfiltered(r). */
function unfilteredName(node: Node): string | undefined {
  if (!('RangeFunction' in node)) return undefined
  const [item] = node.RangeFunction.functions ?? []
  const call = item !== undefined && 'List' in item ? item.List.items?.[0] : undefined
  if (call === undefined || !('FuncCall' in call) || lastNamePart(call.FuncCall.funcname) !== 'unfiltered')
    return undefined
  const argument = call.FuncCall.args?.[0]
  return argument === undefined ? undefined : bareName(argument)
}
