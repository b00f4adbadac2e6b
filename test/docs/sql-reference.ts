/** Renders the tables of functions and aggregates as the pages under docs/reference. */
import { AGGREGATES } from '../../src/aggregates/aggregate-table.ts'
import type { FunctionEntry } from '../../src/sql/function-entry.ts'
import { FUNCTIONS } from '../../src/sql/function-table.ts'

const SECTIONS: readonly { form: FunctionEntry['form']; title: string }[] = [
  { form: 'function', title: 'Functions' },
  { form: 'operator', title: 'Operators' },
  { form: 'cast', title: 'Casts' },
  { form: 'try_cast', title: 'try_cast: as the cast, but null where it fails' },
]

export function renderFunctions(): string {
  const parts = SECTIONS.map(({ form, title }) => {
    const rows = FUNCTIONS.filter((entry) => entry.form === form).map(
      ({ signature, doc }) => `| ${toCode(signature)} | ${escape(doc.summary)} | ${toCode(doc.example)} |`,
    )
    return `## ${title}\n\n| call | gives | example |\n| --- | --- | --- |\n${[...new Set(rows)].join('\n')}\n`
  })
  return `# Functions and operators\n\nMade from the table of functions. Without a note to the contrary null in gives null out.\n\n${parts.join('\n')}`
}

export function renderAggregates(): string {
  const rows = AGGREGATES.map(
    ({ signature, doc }) => `| ${toCode(signature)} | ${escape(doc.summary)} | ${toCode(doc.example)} |`,
  )
  return `# Aggregates\n\nMade from the table of aggregates. Each takes \`FILTER (WHERE ...)\`.\n\n| call | gives | example |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

function toCode(text: string): string {
  return `\`${escape(text)}\``
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|')
}
