/** Owns how far each rollup has come, and who waits for it: the fences of queries (`at_least`). */
import { type Shard, toShardKey } from '../core/shard.ts'

export interface Target {
  readonly shard: Shard
  /** Met when the rollup's next offset is at least this. */
  readonly nextOffset: number
}

interface Waiter {
  readonly rollupId: number
  readonly targets: readonly Target[]
  readonly done: () => void
}

export class Progress {
  readonly #positions = new Map<number, Map<string, number>>()
  readonly #waiters = new Set<Waiter>()

  /** Positions only rise, save when a rollup is set up again (`forget` first). */
  advance(rollupId: number, positions: readonly Target[]): void {
    let known = this.#positions.get(rollupId)
    if (known === undefined) this.#positions.set(rollupId, (known = new Map()))
    for (const { shard, nextOffset } of positions) known.set(toShardKey(shard), nextOffset)
    for (const waiter of this.#waiters) {
      if (waiter.rollupId === rollupId && this.isMet(rollupId, waiter.targets)) waiter.done()
    }
  }

  forget(rollupId: number): void {
    this.#positions.delete(rollupId)
  }

  positionOf(rollupId: number, shard: Shard): number {
    return this.#positions.get(rollupId)?.get(toShardKey(shard)) ?? 0
  }

  isMet(rollupId: number, targets: readonly Target[]): boolean {
    return targets.every(({ shard, nextOffset }) => this.positionOf(rollupId, shard) >= nextOffset)
  }

  /** Resolves to true when all targets are met, to false at the deadline or the signal. */
  waitFor(rollupId: number, targets: readonly Target[], timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.isMet(rollupId, targets)) return Promise.resolve(true)
    return new Promise((resolve) => {
      const finish = (isMet: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        this.#waiters.delete(waiter)
        resolve(isMet)
      }
      const waiter: Waiter = { rollupId, targets, done: () => finish(true) }
      const abort = () => finish(false)
      const timer = setTimeout(abort, Math.max(0, timeoutMs))
      signal.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
      if (signal.aborted) abort()
    })
  }
}
