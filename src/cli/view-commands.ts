/** Owns the commands of views: view, views, drop-view. */
import type { ViewAnswer } from '../service/view-service.ts'
import { type AddCommand, type ClientFlags, clientOf, type Output } from './client-command.ts'
import { readStatement, showingPlace } from './statement-source.ts'
import { formatTable } from './text-table.ts'

export function addViews(add: AddCommand, output: Output): void {
  add('view', 'create or replace a view from a file with its SELECT', 'view daily sql/daily.sql')
    .argument('<name>', 'name of the view; queries call it so')
    .argument('<file>', 'file with one SELECT; - is standard input')
    .action(async (name: string, file: string, flags: ClientFlags) => {
      const source = readStatement(file)
      const view = await showingPlace(source, () => clientOf(flags).call('PUT', pathOf(name), { sql: source.sql }))
      if (flags.json === true) return output.write(view)
      const { columns } = JSON.parse(view) as ViewAnswer
      output.write(`view ${name}: ${columns.map((column) => `${column.name} ${column.type}`).join(', ')}`)
    })

  add('views', 'list the views').action(async (flags: ClientFlags) => {
    const text = await clientOf(flags).call('GET', '/v1/views')
    if (flags.json === true) return output.write(text)
    const { views } = JSON.parse(text) as { views: ViewAnswer[] }
    output.write(
      formatTable(
        ['VIEW', 'READS', 'COLUMNS'],
        views.map(({ name, reads, columns }) => [
          name,
          reads.join(', '),
          columns.map((column) => column.name).join(', '),
        ]),
      ),
    )
  })

  add('drop-view', 'drop a view')
    .argument('<name>', 'name of the view')
    .action(async (name: string, flags: ClientFlags) => {
      await clientOf(flags).call('DELETE', pathOf(name))
      output.write(flags.json === true ? JSON.stringify({ dropped: name }) : `dropped ${name}`)
    })
}

function pathOf(name: string): string {
  return `/v1/views/${encodeURIComponent(name)}`
}
