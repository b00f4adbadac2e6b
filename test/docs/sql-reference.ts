/** Renders the tables of functions and aggregates as the pages under docs/reference. */
import { AGGREGATES } from '../../src/aggregates/aggregate-table.ts'
import type { AggregateDefinition } from '../../src/aggregates/aggregate.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { FunctionEntry } from '../../src/sql/function-entry.ts'
import { findFunctions, FUNCTIONS } from '../../src/sql/function-table.ts'
import { TYPES } from '../../src/sql/type-table.ts'

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

/** The table of types, and which can be cast to which. */
export function renderTypes(): string {
  const rows = TYPES.map(
    ({ type, aliases, holds, json, literal }) =>
      `| ${[type, ...aliases].map(toCode).join(', ')} | ${escape(holds)} | ${toCode(literal)} | ${toCode(json)} |`,
  )
  const names = TYPES.map(({ type }) => type)
  const castRows = names.map((from) => {
    const marks = names.map((to) => castMark(from, to))
    return `| ${toCode(from)} | ${marks.join(' | ')} |`
  })
  return `# Types

Made from the table of types. A field has no declared type: a cast gives it one. \`number\` is the type of a result that is a number of any size and form, \`any\` that of an undeclared field.

| type | holds | literal | in a JSON answer |
| --- | --- | --- | --- |
${rows.join('\n')}

## Casts

Made from the table of functions; from row to column. \`yes\`: always, \`may fail\`: for some values an error of the record (\`try_cast(x, 'type')\` gives null then). An undeclared field can be cast to every type.

| | ${names.map(toCode).join(' | ')} |
| --- | ${names.map(() => '---').join(' | ')} |
${castRows.join('\n')}
`
}

function castMark(from: ScalarType, to: ScalarType): string {
  const cast = findFunctions('cast', to).find(({ resolve }) => resolve([from]) !== undefined)
  if (cast === undefined) return ''
  return cast.canFail([from]) ? 'may fail' : 'yes'
}

export function renderAggregates(): string {
  const rows = AGGREGATES.map(
    (definition) =>
      `| ${toCode(definition.signature)} | ${escape(definition.doc.summary)} | ${isSubtractable(definition) ? 'yes' : ''} | ${toCode(definition.doc.example)} |`,
  )
  return `# Aggregates\n\n${AGGREGATES_INTRODUCTION}\n\n| call | gives | subtractable | example |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

const AGGREGATES_INTRODUCTION =
  'Made from the table of aggregates. Each takes `FILTER (WHERE ...)`. Subtractable: a part that was merged into a state can be taken out of it ' +
  'again, to the last bit. The others forget what that takes: the second least value, how often a value came, what a sketch has folded together.'

/** Of any arguments: an aggregate's states have the same laws. */
function isSubtractable(definition: AggregateDefinition): boolean {
  const argumentTypes: ScalarType[][] = [[], ['any'], ['boolean'], ['any', 'any']]
  return argumentTypes.some((types) => definition.resolve(types)?.subtract !== undefined)
}

function toCode(text: string): string {
  return `\`${escape(text)}\``
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|')
}
