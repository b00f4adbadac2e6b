/** Owns which clauses a rollup statement may have, and its FROM. */
import { RollupdError } from '../core/errors.ts'
import type { Node, SelectStmt, Statement } from '../sql/parse-statement.ts'
import { quoteName } from '../sql/identifier.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import { INPUT } from './record-scope.ts'

const IN_A_QUERY = 'Use it in a query over the rollup.'

/** Refuses what a rollup can't have. Errors: sql_unsupported, sql_invalid. */
export function checkClauses(statement: Statement): void {
  const { select } = statement
  const refuse = (present: boolean, what: string, word: string, hint: string): void => {
    if (!present) return
    throw new RollupdError('sql_unsupported', `${what} is not allowed in a rollup`, {
      position: statement.positionOfWord(word) || 1,
      hint,
    })
  }
  refuse(select.withClause !== undefined, 'WITH', 'with', IN_A_QUERY)
  refuse(
    select.op !== undefined && select.op !== 'SETOP_NONE',
    setOperation(select),
    setOperation(select).toLowerCase(),
    IN_A_QUERY,
  )
  refuse(select.valuesLists !== undefined, 'VALUES', 'values', `Write SELECT ... FROM ${INPUT}.`)
  refuse(select.distinctClause !== undefined, 'DISTINCT', 'distinct', 'GROUP BY gives each group once.')
  refuse(select.intoClause !== undefined, 'INTO', 'into', 'The name of a rollup stands beside its SQL.')
  refuse(select.windowClause !== undefined, 'WINDOW', 'window', IN_A_QUERY)
  refuse(select.sortClause !== undefined, 'ORDER BY', 'order', `Groups have no order. ${IN_A_QUERY}`)
  refuse(select.limitOffset !== undefined, 'OFFSET', 'offset', IN_A_QUERY)
  refuse(select.limitCount !== undefined, 'LIMIT', 'limit', IN_A_QUERY)
  refuse(select.lockingClause !== undefined, 'FOR UPDATE', 'for', 'Leave it out: a rollup only reads.')
}

function setOperation(select: SelectStmt): string {
  return (select.op ?? '').replace('SETOP_', '')
}

/** The alias of `FROM relation [AS alias]`. Errors: sql_unsupported, sql_invalid for anything else in FROM. */
export function readFrom(statement: Statement, relation: string): string | undefined {
  const [from, second] = statement.select.fromClause ?? []
  if (second !== undefined) refuseFrom(statement, relation, second)
  return readRelation(statement, relation, from)
}

/** The alias of one item of FROM that must be the relation; undefined: FROM is missing. Errors: as readFrom. */
export function readRelation(statement: Statement, relation: string, from: Node | undefined): string | undefined {
  const name = quoteName(relation)
  const hint = hintFor(relation)
  if (from === undefined) {
    throw new RollupdError('sql_invalid', `FROM ${name} is missing`, { position: 1, hint })
  }
  if (!('RangeVar' in from)) return refuseFrom(statement, relation, from)
  const { relname, schemaname, alias, inh, location } = from.RangeVar
  const position = statement.positionOf(location)
  if (relname !== relation || schemaname !== undefined) {
    const found = schemaname === undefined ? relname : `${schemaname}.${relname}`
    throw new RollupdError('sql_unsupported', `a rollup reads ${name} alone, found the table "${found}"`, {
      position,
      hint,
    })
  }
  if (inh !== true) throw new RollupdError('sql_unsupported', 'ONLY is not supported', { position, hint })
  if (alias?.colnames !== undefined) {
    throw new RollupdError('sql_unsupported', 'column names behind the alias are not supported', {
      position,
      hint: 'Name the fields where they are used.',
    })
  }
  return alias?.aliasname
}

export function refuseFrom(statement: Statement, relation: string, extra: Node): never {
  throw new RollupdError('sql_unsupported', `a rollup reads ${quoteName(relation)} alone, found ${sourceName(extra)}`, {
    position: statement.positionOf(sourceLocation(extra)) || statement.positionOfWord('from'),
    hint: hintFor(relation),
  })
}

function hintFor(relation: string): string {
  return relation === INPUT
    ? `Write FROM ${INPUT}, with CROSS JOIN UNNEST(items) AS i for the elements of an array; the topic, or the rollup that is read instead, is named in the rollup's source.`
    : `Write FROM ${quoteName(relation)}: the rollup's source is that rollup.`
}

function sourceName(node: Node): string {
  if ('RangeVar' in node) return `the table "${node.RangeVar.relname}"`
  if ('JoinExpr' in node) return 'a join'
  if ('RangeSubselect' in node) return 'a subquery'
  return 'RangeFunction' in node ? 'a function' : 'something else'
}

/** Subqueries and functions in FROM have no location of their own. */
function sourceLocation(node: Node): number | undefined {
  if ('JoinExpr' in node && node.JoinExpr.rarg !== undefined) return sourceLocation(node.JoinExpr.rarg)
  return locationOf(node)
}
