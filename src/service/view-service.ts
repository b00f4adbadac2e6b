/** Owns views: a statement is compiled before it is stored, and what a view reads can't be dropped under it. */
import { RollupdError } from '../core/errors.ts'
import type { AsyncLeaf } from '../leaf/async-leaf.ts'
import type { StoredView } from '../leaf/leaf-store.ts'
import type { QueryService } from '../query/query-service.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import { checkName } from './catalog-name.ts'

/** As the API shows it. */
export interface ViewAnswer {
  readonly name: string
  readonly sql: string
  readonly columns: StoredView['columns']
  readonly reads: readonly string[]
  readonly created_at: string
}

export interface ViewServiceOptions {
  readonly leaf: Pick<AsyncLeaf, 'putView' | 'dropView' | 'listViews'>
  readonly queries: Pick<QueryService, 'describeView'>
}

export class ViewService {
  readonly #options: ViewServiceOptions
  /** Statements are checked against those that are stored: one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ViewServiceOptions) {
    this.#options = options
  }

  /** Creates or replaces one. Errors: bad_parameter for the name, sql_*, unknown_rollup, already_exists, conflict. */
  async put(name: string, sql: string): Promise<{ readonly view: ViewAnswer; readonly isNew: boolean }> {
    checkName('view', name)
    return await this.#inTurn(async () => {
      const { leaf, queries } = this.#options
      const isNew = !(await leaf.listViews()).some((view) => view.name === name)
      const { columns, reads } = await queries.describeView(name, sql)
      return { view: toAnswer(await leaf.putView({ name, sql, reads, columns })), isNew }
    })
  }

  async list(): Promise<ViewAnswer[]> {
    return (await this.#options.leaf.listViews()).map(toAnswer)
  }

  /** Errors: unknown_view, with the nearest names. */
  async get(name: string): Promise<ViewAnswer> {
    const views = await this.#options.leaf.listViews()
    const view = views.find((one) => one.name === name)
    if (view !== undefined) return toAnswer(view)
    const hint = didYouMean(
      name,
      views.map((one) => one.name),
    )
    throw new RollupdError('unknown_view', `view "${name}" does not exist`, { hint })
  }

  /** Errors: unknown_view, rollup_in_use while another view reads it. */
  async drop(name: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.get(name)
      await this.#options.leaf.dropView(name)
    })
  }

  /** The rollups behind these names of rollups and views, each once. */
  async rollupsOf(names: readonly string[]): Promise<string[]> {
    const views = new Map((await this.#options.leaf.listViews()).map((view) => [view.name, view.reads]))
    const found = new Set<string>()
    const visited = new Set<string>()
    const visit = (name: string): void => {
      if (visited.has(name)) return
      visited.add(name)
      const reads = views.get(name)
      if (reads === undefined) found.add(name)
      else reads.forEach(visit)
    }
    names.forEach(visit)
    return [...found]
  }

  async #inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const running = this.#last.then(operation, operation)
    this.#last = running.catch(() => undefined)
    return await running
  }
}

function toAnswer({ name, sql, columns, reads, createdAt }: StoredView): ViewAnswer {
  return { name, sql, columns, reads, created_at: createdAt }
}
