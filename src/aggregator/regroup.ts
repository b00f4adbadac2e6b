/**
 * Owns the regrouping of one rollup's groups by another's expressions: what a rollup of a rollup gets for the groups that its source has
 * got. No record is read again. An expression that fails is NULL, since there is no record to be a dead letter.
 */
import { at } from '../core/assert.ts'
import type { RollupPlan } from '../planner/plan.ts'
import { compileIngest, type CompiledIngest, type CompiledPlan } from './compile-ingest.ts'
import type { PartialBatch } from './partial-batch.ts'
import { decodePartialBatch, encodePartialBatch } from './partial-batch-codec.ts'
import { SourceGroup, type RegroupedGroup } from './source-group.ts'

export class Regroup {
  readonly #rollupId: number
  readonly #source: SourceGroup
  readonly #compiled: CompiledIngest
  /** The one that is compiled. */
  readonly #plan: CompiledPlan

  /** Of the rollup `plan`, which reads groups of `source`. */
  constructor(rollupId: number, plan: RollupPlan, source: RollupPlan) {
    this.#rollupId = rollupId
    this.#source = new SourceGroup(source)
    this.#compiled = compileIngest([{ half: plan.ingest, onError: 'null' }], {
      source: { group: this.#source, partials: plan.source?.partials ?? [] },
    })
    this.#plan = at(this.#compiled.plans, 0)
  }

  /** Adds a group of the source, or what a batch added to one. */
  add(group: RegroupedGroup): void {
    this.#source.set(group)
    this.#compiled.fold()
  }

  get groupCount(): number {
    return this.#plan.table.keys.count
  }

  /** A batch without ranges of what was added since the last one; undefined: nothing passed WHERE. */
  seal(): PartialBatch | undefined {
    const contents = { rollupId: this.#rollupId, ranges: [], deadLetters: [], ...this.#plan }
    const batch = this.groupCount === 0 ? undefined : decodePartialBatch(encodePartialBatch(contents))
    this.discard()
    return batch
  }

  discard(): void {
    this.#plan.table.reset()
  }

  /** An expression that failed since the last call, for a person. */
  takeFailure(): string | undefined {
    const { failure } = this.#source
    this.#source.failure = undefined
    if (failure === undefined) return undefined
    const { text = '' } = this.#compiled.contexts[failure.context] ?? {}
    return `${text}: ${failure.error.message}`
  }
}
