/** Owns the names that FROM makes: tables by alias, and columns by bare name in the order of `*`. */
import { RollupdError } from '../core/errors.ts'
import type { Expression } from '../sql/expression.ts'
import type { Relation } from './relation.ts'

/** A column by its bare name. USING merges two columns into one that is neither relation's. */
export interface NamedColumn {
  readonly name: string
  readonly hidden: boolean
  readonly expression: (position: number) => Expression
  /** Absent for merged columns. */
  readonly source?: { readonly relation: Relation; readonly index: number }
}

export interface NamedTable {
  readonly name: string
  readonly relation: Relation
  /** What the table's name alone means, of a function that gives one value a row. */
  readonly value?: NamedColumn | undefined
}

export interface Namespace {
  readonly tables: readonly NamedTable[]
  readonly columns: readonly NamedColumn[]
}

export const EMPTY_NAMESPACE: Namespace = { tables: [], columns: [] }

export function namespaceOf(name: string, relation: Relation, isValue = false): Namespace {
  const columns = columnsOf(relation)
  return { tables: [{ name, relation, value: isValue ? columns[0] : undefined }], columns }
}

export function columnsOf(relation: Relation): readonly NamedColumn[] {
  return relation.columns.map(({ name, hidden }, index) => ({
    name,
    hidden,
    expression: (position: number) => relation.column(index, position),
    source: { relation, index },
  }))
}

/** Errors: sql_invalid when an alias stands twice. */
export function joinNamespaces(left: Namespace, right: Namespace, position: number): Namespace {
  for (const { name } of right.tables) {
    if (!left.tables.some((table) => table.name === name)) continue
    throw new RollupdError('sql_invalid', `the table name "${name}" stands twice in FROM`, {
      position,
      hint: `Give one of them an alias: ${name} AS other.`,
    })
  }
  return { tables: [...left.tables, ...right.tables], columns: [...left.columns, ...right.columns] }
}

/**
 * What a path of names means here: a column, and what follows it; a table's name comes before a column's, but where it stands for the table's only
 * value. Undefined: nothing. Errors: sql_ambiguous.
 */
export function findColumn(
  namespace: Namespace,
  path: readonly (string | number)[],
  position: number,
): { readonly column: NamedColumn; readonly rest: readonly (string | number)[] } | undefined {
  const [first, second, ...more] = path
  const table = typeof second === 'string' ? namespace.tables.find(({ name }) => name === first) : undefined
  const qualified = table === undefined ? [] : columnsOf(table.relation).filter(({ name }) => name === second)
  if (qualified.length > 1) throw ambiguous(`${first}.${second}`, namespace, position)
  if (qualified[0] !== undefined) return { column: qualified[0], rest: more }
  const [column, ...others] = namespace.columns.filter(({ name }) => name === first)
  if (others.length > 0) throw ambiguous(String(first), namespace, position)
  const meant = column ?? namespace.tables.find(({ name }) => name === first)?.value
  return meant === undefined ? undefined : { column: meant, rest: path.slice(1) }
}

function ambiguous(name: string, { tables, columns }: Namespace, position: number): RollupdError {
  const owners = tables.filter(({ relation }) => relation.columns.some((column) => column.name === name))
  const hint =
    owners.length > 1
      ? `Write ${owners.map((table) => `${table.name}.${name}`).join(' or ')}.`
      : `${columns.filter((column) => column.name === name).length} columns of the subquery have that name; rename one with AS.`
  return new RollupdError('sql_ambiguous', `the column "${name}" is ambiguous`, { position, hint })
}
