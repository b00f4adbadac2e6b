/**
 * Owns when commits that wait are taken up: at once, together with all that are there by then; or, where ingest threads send large batches
 * one after another, when each of them has sent its next one: a group that is in several of them is written once.
 */

/** Fewer are written sooner than others are waited for. */
const GROUPS_WORTH_WAITING = 4096
/** The others' batches are ready as bytes when they get their answers, which all of them get in one turn. */
const WAIT_MS = 10

export class CommitTurns<Sender> {
  readonly #takeUp: () => void
  /** Those whose last batch was a large one and is committed. */
  readonly #expected = new Set<Sender>()
  /** Those whose batches wait, and whether one of those is large. */
  readonly #waiting = new Map<Sender, boolean>()
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined

  /** `takeUp` commits all that wait. */
  constructor(takeUp: () => void) {
    this.#takeUp = takeUp
  }

  /** A batch of so many groups waits. */
  note(sender: Sender, groups: number): void {
    const isLarge = groups >= GROUPS_WORTH_WAITING
    this.#waiting.set(sender, isLarge || this.#waiting.get(sender) === true)
    this.#expected.delete(sender)
    this.#schedule(isLarge && this.#expected.size > 0)
  }

  /** The sender has gone. */
  forget(sender: Sender): void {
    this.#expected.delete(sender)
  }

  #schedule(mayWait: boolean): void {
    if (this.#immediate !== undefined) return
    if (mayWait) {
      this.#timer ??= setTimeout(() => this.#begin(), WAIT_MS)
      return
    }
    clearTimeout(this.#timer)
    // an immediate comes after all messages that are there by now, from every sender
    this.#immediate = setImmediate(() => this.#begin())
  }

  #begin(): void {
    this.#timer = undefined
    this.#immediate = undefined
    // who was waited for in vain isn't again, until it sends a large one
    this.#expected.clear()
    for (const [sender, isLarge] of this.#waiting) if (isLarge) this.#expected.add(sender)
    this.#waiting.clear()
    this.#takeUp()
  }
}
