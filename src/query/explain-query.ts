/** Owns what EXPLAIN tells of a query: both halves of the rollups it reads, the SQLite text, and how SQLite comes to the rows. */
import type { CompiledQuery } from './compile-query.ts'
import type { CatalogRollup } from './query-catalog.ts'
import type { OpenedLeaf } from './run-query.ts'

/** The only column of the answer. */
export const PLAN_COLUMN = { name: 'plan', type: 'text' } as const

interface PlanRow {
  readonly id: bigint
  readonly parent: bigint
  readonly detail: string
}

export type ExplainedLeaf = Pick<OpenedLeaf, 'connection' | 'functions'>

/** Lines for people. Caller has the transaction of the query. */
export function explainLines(compiled: CompiledQuery, leaf: ExplainedLeaf): string[] {
  const steps = stepsOf(compiled.sqlText, 1, compiled, leaf)
  return [
    ...compiled.rollups.flatMap(({ name, topic, plan }) => [
      `rollup ${name} of topic ${topic}`,
      `  ingest half: ${plan.ingestSql}`,
      `  wrap half: ${plan.wrapSql}`,
    ]),
    'SQLite text',
    `  ${compiled.sqlText}`,
    'access',
    ...steps,
  ]
}

function stepsOf(sqlText: string, depth: number, compiled: CompiledQuery, leaf: ExplainedLeaf): string[] {
  const rows = leaf.connection
    .prepare<unknown[], PlanRow>(`EXPLAIN QUERY PLAN ${sqlText}`)
    .safeIntegers()
    .all(compiled.bindings)
  const depths = new Map<bigint, number>()
  return rows.flatMap(({ id, parent, detail }) => {
    const own = (depths.get(parent) ?? depth - 1) + 1
    depths.set(id, own)
    const number = compiled.folds.findIndex(({ alias }) => detail.startsWith(`SCAN ${alias} VIRTUAL TABLE`))
    const fold = compiled.folds[number]
    if (fold === undefined) return [`${'  '.repeat(own)}${describeStep(detail, compiled)}`]
    const text = leaf.functions.folded.sqlTextOf(number)
    const what = text === undefined ? 'folds the copied columns' : 'folds groups'
    const line = `${'  '.repeat(own)}${what} of ${fold.rollup.name}`
    return text === undefined ? [line] : [line, ...stepsOf(text, own + 1, compiled, leaf)]
  })
}

/** The beginnings of SQLite's own words (EXPLAIN QUERY PLAN), and what they mean here. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^SCAN (\S+) VIRTUAL TABLE INDEX.*/, 'makes the series $1'],
  [/^SCAN (\S+) USING (?:COVERING )?INDEX (\S+)/, 'reads all of $1 in the order of index $2'],
  [/^SCAN (\d+) CONSTANT ROWS?/, 'takes $1 written rows'],
  [/^SCAN CONSTANT ROW/, 'takes one written row'],
  [/^SCAN (\S+)/, 'reads all of $1'],
  [/^SEARCH (\S+) USING PRIMARY KEY \((.*)\)/, 'looks up $1 by its key ($2)'],
  [/^SEARCH (\S+) USING PRIMARY KEY/, 'looks up an end of $1 by its key'],
  [
    /^SEARCH (\S+) USING AUTOMATIC (?:PARTIAL )?(?:COVERING )?INDEX \((.*)\)/,
    'looks up $1 by an index made for this query ($2)',
  ],
  [/^SEARCH (\S+) USING (?:COVERING )?INDEX (\S+) \((.*)\)/, 'looks up $1 by index $2 ($3)'],
  [/^SEARCH (\S+) USING (?:COVERING )?INDEX (\S+)/, 'looks up an end of $1 by index $2'],
  [/^USE TEMP B-TREE FOR (LAST (?:\d+ )?TERMS? OF )?/, 'sorts for $1'],
  [/^MATERIALIZE (\S+)/, 'computes $1 once'],
  [/^CO-ROUTINE (\S+)/, 'computes $1 row by row'],
  [/^CORRELATED SCALAR SUBQUERY (\d+)/, 'computes subquery $1 for each row'],
  [/^SCALAR SUBQUERY (\d+)/, 'computes subquery $1 once'],
  [/^CORRELATED LIST SUBQUERY (\d+)/, 'computes the list of subquery $1 for each row'],
  [/^LIST SUBQUERY (\d+)/, 'computes the list of subquery $1 once'],
]

function describeStep(detail: string, { rollups }: CompiledQuery): string {
  const [pattern, words] = WORDS.find(([one]) => one.test(detail)) ?? []
  const described = pattern === undefined || words === undefined ? detail : detail.replace(pattern, words)
  return rollups.reduce((text, rollup) => nameTables(text, rollup), described)
}

/** g7, k0 and bucket are the leaf's names: a person knows the rollup's. */
function nameTables(text: string, { name, schema, plan }: CatalogRollup): string {
  const { table, overflowTable } = schema
  if (!new RegExp(`\\b${table}\\b|\\b${overflowTable}\\b|\\b${table}_i\\d`).test(text)) return text
  const columns = plan.ingest.groupBy.reduce(
    (named, { column, output }) =>
      output === undefined ? named : named.replaceAll(new RegExp(`\\b${column}(?=[=<>])`, 'g'), () => output),
    text,
  )
  return columns
    .replaceAll(new RegExp(`\\b${overflowTable}\\b`, 'g'), () => `groups of ${name} whose hash is another's`)
    .replaceAll(new RegExp(`\\b${table}\\b`, 'g'), () => name)
}
