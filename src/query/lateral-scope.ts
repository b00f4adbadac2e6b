/** Owns what an item of FROM may name of those before it: all of them where it is LATERAL, as functions are, unless SQLite can't reach them there. */
import { RollupdError } from '../core/errors.ts'
import type { Expression } from '../sql/expression.ts'
import { unsupported } from '../sql/unsupported.ts'
import type { NamePath } from '../sql/scope.ts'
import type { CompileContext, Surroundings } from './compile-context.ts'
import { EMPTY_NAMESPACE, findColumn, joinNamespaces, type Namespace } from './namespace.ts'
import { QueryScope } from './query-scope.ts'

/** Items of FROM before one. */
export interface EarlierItems {
  readonly namespace: Namespace
  readonly barrier: Barrier | undefined
}

/** Why an item can't read earlier ones: it isn't LATERAL, it is a side of such a join, or both stand on two sides of brackets. */
export type Barrier = 'subquery' | 'join' | 'brackets'

export class LateralScope extends QueryScope {
  /** Whether a column of an earlier item was read. */
  wasRead = false
  readonly #barred: readonly EarlierItems[]

  constructor(
    clause: string,
    { context, surroundings }: { context: CompileContext; surroundings: Surroundings },
    earlier: readonly EarlierItems[],
  ) {
    const reached = earlier.filter(({ barrier }) => barrier === undefined)
    const namespace = reached.reduce((all, one) => joinNamespaces(all, one.namespace, 0), EMPTY_NAMESPACE)
    super(clause, { context, namespace, surroundings })
    this.#barred = earlier.filter(({ barrier }) => barrier !== undefined)
  }

  override column(path: NamePath, position: number): Expression {
    if (findColumn(this.parts.namespace, path, position) !== undefined) this.wasRead = true
    else {
      const barrier = this.#barrierOf(path)
      if (barrier !== undefined) throw refuse(barrier, path, position)
    }
    return super.column(path, position)
  }

  override hasColumn(path: readonly (string | number)[]): boolean {
    return super.hasColumn(path) || this.#barrierOf(path) !== undefined
  }

  /** A subquery without LATERAL passes by what stands before it: the names of the queries around come first. */
  #barrierOf(path: readonly (string | number)[]): Barrier | undefined {
    const { outer } = this.parts.surroundings
    return this.#barred.find(
      ({ namespace, barrier }) =>
        findColumn(namespace, path, 0) !== undefined && (barrier !== 'subquery' || outer?.hasColumn(path) !== true),
    )?.barrier
  }
}

function refuse(barrier: Barrier, path: NamePath, position: number): RollupdError {
  const name = path.filter((part) => typeof part === 'string').join('.')
  switch (barrier) {
    case 'subquery':
      return new RollupdError('sql_invalid', `the subquery in FROM can't read "${name}", which stands before it`, {
        position,
        hint: 'Write LATERAL (SELECT ...).',
      })
    case 'join':
      return new RollupdError('sql_invalid', `a side of a RIGHT or FULL JOIN can't read "${name}" of the other side`, {
        position,
        hint: 'Use an inner or a LEFT JOIN.',
      })
    case 'brackets':
      return unsupported(
        `"${name}" can't be read inside a bracketed, RIGHT or FULL JOIN that it isn't part of`,
        position,
        'Write the joins without brackets, one behind the other.',
      )
  }
}
