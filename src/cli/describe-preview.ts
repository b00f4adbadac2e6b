/** Owns how a preview is shown to a person: source rows beside what became of them, then the groups. */
import { breakStatement } from './break-statement.ts'
import { parseExactly, toCell } from './exact-rows.ts'
import { indent } from './indent.ts'
import { cutText, formatTable } from './text-table.ts'

/** Enough to know a record again; --json has all of it. */
const VALUE_CHARACTERS_MAX = 60
const REASON_CHARACTERS_MAX = 60
/** More rows of a table are counted. */
const ROWS_SHOWN_MAX = 50

type Row = Readonly<Record<string, unknown>>

interface Answer {
  readonly plan: {
    readonly ingest_sql: string
    readonly wrap_sql: string
    readonly columns: readonly { name: string }[]
  }
  readonly source_rows: readonly {
    readonly partition: unknown
    readonly offset: unknown
    readonly value?: string
    readonly outcome: string
    readonly group?: Row
    readonly code?: string
    readonly reason?: string
  }[]
  readonly groups: readonly Row[]
  readonly hidden_groups: readonly Row[]
  readonly steps?: readonly {
    readonly record: unknown
    readonly is_new?: boolean
    readonly is_hidden?: boolean
    readonly row?: Row
    readonly changed?: readonly string[]
  }[]
  readonly fields: readonly { readonly path: string; readonly share: unknown; readonly kinds: Row }[]
  readonly warnings: readonly string[]
  readonly errors?: readonly { readonly column: string; readonly group?: string; readonly message: string }[]
}

/** `text` is the answer's JSON. */
export function describePreview(text: string): string {
  const answer = parseExactly(text) as Answer
  const columns = answer.plan.columns.map(({ name }) => name)
  const { groups, hidden_groups: hidden, errors = [] } = answer
  return [
    section('Ingest half, on every record:', breakStatement(answer.plan.ingest_sql)),
    section('Wrap half, at read time:', breakStatement(answer.plan.wrap_sql)),
    section(`Fields of the sample:`, describeFields(answer)),
    section(`${count(answer.source_rows.length, 'record')}:`, describeSourceRows(answer)),
    ...(answer.steps === undefined ? [] : [section('Step by step:', describeSteps(answer.steps, columns))]),
    section(`${count(groups.length, 'group')}:`, describeRows(groups, columns)),
    ...(hidden.length === 0
      ? []
      : [section(`${count(hidden.length, 'group')} hidden by HAVING:`, describeRows(hidden, columns))]),
    ...errors.map(
      ({ column, group = '', message }) => `error: ${column}${group === '' ? '' : ` (${group})`}: ${message}`,
    ),
    ...answer.warnings.map((warning) => `warning: ${warning}`),
  ].join('\n')
}

function section(title: string, body: string): string {
  return `${title}\n${indent(body)}\n`
}

function describeFields({ fields }: Answer): string {
  return formatShort(
    ['FIELD', 'RECORDS', 'KINDS'],
    fields.map(({ path, share, kinds }) => [
      path,
      toPercent(share),
      Object.entries(kinds)
        .map(([kind, some]) => (toCell(some) === toCell(share) ? kind : `${kind} ${toPercent(some)}`))
        .join(', '),
    ]),
  )
}

function describeSourceRows({ source_rows: rows }: Answer): string {
  const names = Object.keys(rows.find(({ group }) => group !== undefined)?.group ?? {})
  return formatShort(
    ['PARTITION', 'OFFSET', 'VALUE', 'OUTCOME', ...names],
    rows.map(({ partition, offset, value = '(binary)', outcome, code, reason, group }) => [
      toCell(partition),
      toCell(offset),
      cutText(value, VALUE_CHARACTERS_MAX),
      code === undefined ? outcome : cutText(`${outcome}, ${code}: ${reason ?? ''}`, REASON_CHARACTERS_MAX),
      ...names.map((name) => (group === undefined ? '' : toCell(group[name]))),
    ]),
  )
}

/** Changed cells are marked by a star. */
function describeSteps(steps: NonNullable<Answer['steps']>, columns: readonly string[]): string {
  return formatShort(
    ['RECORD', '', ...columns],
    steps.map(({ record, row, changed = [], is_new: isNew, is_hidden: isHidden }) => {
      const state = [...(isNew === true ? ['new'] : []), ...(isHidden === true ? ['hidden'] : [])].join(', ')
      const cells = columns.map((name) => {
        if (row === undefined) return ''
        return changed.includes(name) && isNew !== true ? `*${toCell(row[name])}` : toCell(row[name])
      })
      return [toCell(record), row === undefined ? 'no change' : state, ...cells]
    }),
  )
}

function describeRows(rows: readonly Row[], columns: readonly string[]): string {
  return formatShort(
    columns,
    rows.map((row) => columns.map((name) => toCell(row[name]))),
  )
}

function formatShort(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = formatTable(headings, rows.slice(0, ROWS_SHOWN_MAX))
  const more = rows.length - ROWS_SHOWN_MAX
  return more <= 0 ? table : `${table}\n... and ${more} more; --json has all of them`
}

function toPercent(share: unknown): string {
  return `${Math.round(Number(toCell(share)) * 1000) / 10}%`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
