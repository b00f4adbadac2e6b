/** Owns where grouping values stand in expressions over groups. */
import { printNode } from './print-syntax.ts'
import { mapChildren, type Node } from './syntax.ts'

/** The same expression where each part that is written as a grouping expression is that group's value, as the split has it. */
export function regroup(node: Node, groups: readonly Node[]): Node {
  const texts = groups.map((group) => printNode(group))
  const visit = (part: Node): Node => {
    if (part.kind === 'literal' || part.kind === 'aggregate') return part
    const index = texts.indexOf(printNode(part))
    const expression = groups[index]
    if (expression !== undefined) return { kind: 'group', type: expression.type, index, expression }
    return part.kind === 'group' ? visit(part.expression) : mapChildren(part, visit)
  }
  return visit(node)
}
