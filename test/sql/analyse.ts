/** Owns the short way from an expression's text to its tree, for tests: over the fields of records, without aggregates. */
import { createRecordScope } from '../../src/planner/record-scope.ts'
import { createAnalyser } from '../../src/sql/analyse-expression.ts'
import type { Expression } from '../../src/sql/expression.ts'
import { parseStatement } from '../../src/sql/parse-statement.ts'

const SCOPE = createRecordScope({ clause: 'SELECT', alias: undefined, call: () => undefined, callNames: ['count'] })

/** `SELECT text FROM _input`: positions count from its S. */
export function analyse(text: string): Expression {
  const statement = parseStatement(`SELECT ${text} FROM _input`)
  const [target] = statement.select.targetList ?? []
  if (target === undefined || !('ResTarget' in target) || target.ResTarget.val === undefined)
    throw new Error('no output')
  return createAnalyser(statement, SCOPE).analyseSettled(target.ResTarget.val)
}
