/** The events behind the figures: page views, 178 bytes of JSON on average; a seed gives one sequence. */
const COUNTRIES = ['US', 'DE', 'FR', 'IN', 'BR', 'GB', 'JP', 'KE', 'ZA', 'MX'] as const
export const FIRST_EVENT_MS = 1_764_500_000_000
export const EVENT_STEP_MS = 10

export interface PageView {
  readonly id: string
  readonly ts: string
  readonly user_id: number
  readonly country: string
  readonly path: string
  readonly device: { readonly os: string; readonly ver: string }
  readonly latency_ms: number
  readonly bytes: number
  readonly ok: boolean
}

/** The events one after another: the same sequence for the same seed, on every machine. */
export class PageViews {
  #state: number
  #index = 0

  constructor(seed = 1) {
    this.#state = seed
  }

  next(): PageView {
    const index = this.#index++
    // the fields are drawn in this order, whatever is added must come last
    return {
      id: `e${index}`,
      ts: new Date(FIRST_EVENT_MS + index * EVENT_STEP_MS).toISOString(),
      user_id: Math.floor(this.#random() * 50_000),
      country: COUNTRIES[Math.floor(this.#random() * COUNTRIES.length)]!,
      path: `/page/${Math.floor(this.#random() * 200)}`,
      device: { os: this.#random() < 0.5 ? 'ios' : 'android', ver: `17.${Math.floor(this.#random() * 9)}` },
      latency_ms: Math.round(this.#random() * 100_000) / 100,
      bytes: Math.floor(this.#random() * 100_000),
      ok: this.#random() < 0.97,
    }
  }

  /** A linear congruential generator: in [0, 1]. */
  #random(): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fffffff
    return this.#state / 0x7fffffff
  }
}
