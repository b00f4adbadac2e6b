/** Owns what the printers of PostgreSQL's and DuckDB's expressions share. */
import { printWith, quoteText } from './print-syntax.ts'
import { argumentsOf, type LiteralNode, type Node } from './syntax.ts'

/** Written with its type: a number alone is a smaller integer, or numeric. */
export function printLiteral({ type, value }: LiteralNode, timeType: string): string {
  if (value === null) return `NULL::${type === 'timestamptz' ? timeType : type}`
  if (type === 'interval') return `INTERVAL ${quoteText(String(value))}`
  if (type === 'timestamptz') return `${quoteText(String(value))}::${timeType}`
  if (type === 'boolean') return value === true ? 'TRUE' : 'FALSE'
  return `(${quoteText(String(value))}::${type})`
}

/** The engine's own writing of a node; undefined: as it is written for rollupd. */
export type Override = (node: Node, print: (node: Node) => string) => string | undefined

export function printer(override: Override): (node: Node) => string {
  const print = (node: Node): string =>
    override(node, print) ?? printWith(node as Parameters<typeof printWith>[0], print)
  return print
}

export function printAggregate(
  node: Extract<Node, { kind: 'aggregate' }>,
  print: (node: Node) => string,
  names: Readonly<Record<string, string>>,
): string {
  const { name, distinct, filter } = node
  const args = argumentsOf(node).map(print)
  const inner = args.length === 0 ? '*' : args.join(', ')
  const where = filter === null ? '' : ` FILTER (WHERE ${print(filter)})`
  if (name === 'approx_distinct') return `COUNT(DISTINCT ${inner})${where}`
  if (name === 'avg' && node.type !== 'interval')
    return `AVG(${distinct ? 'DISTINCT ' : ''}(${inner})::double precision)${where}`
  return `${names[name] ?? name}(${distinct ? 'DISTINCT ' : ''}${inner})${where}`
}
