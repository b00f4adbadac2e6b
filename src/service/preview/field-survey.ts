/** Owns what fields a sample has: each path with the kinds of its values, and numbers that look like times. */
import { quoteLabel, quoteName } from '../../sql/identifier.ts'

export type FieldKind = 'null' | 'boolean' | 'number' | 'text' | 'array' | 'object'

export interface Field {
  /** Keys from the top. */
  readonly keys: readonly string[]
  /** As SQL reads it. */
  readonly path: string
  /** Documents that have it, null or not. */
  count: number
  readonly kinds: Map<FieldKind, number>
  /** Numbers that are times since 1970 between 2001 and 5138 if they count seconds, milliseconds. */
  inSeconds: number
  inMilliseconds: number
}

/** Documents with keys that are data (ids as keys) have endlessly many paths. */
const FIELDS_MAX = 1000
/** Keys of a path. */
const DEPTH_MAX = 8
const SECONDS_MIN = 1e9
/** 1973 in milliseconds, the year 5138 in seconds: in practice milliseconds. */
const MILLISECONDS_MIN = 1e11
const MICROSECONDS_MIN = 1e14

export class FieldSurvey {
  readonly #fields = new Map<string, Field>()
  #documents = 0
  #isCut = false

  /** JSON objects that were looked at. */
  get documents(): number {
    return this.#documents
  }

  /** There are more fields than are told. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** In the order in which they were first seen. */
  get fields(): readonly Field[] {
    return [...this.#fields.values()]
  }

  /** Values that are no JSON object are left out. */
  add(value: Uint8Array): void {
    let document: unknown
    try {
      document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value))
    } catch {
      return
    }
    if (kindOf(document) !== 'object') return
    this.#documents++
    this.#addObject(document as object, [])
  }

  find(keys: readonly string[]): Field | undefined {
    return this.#fields.get(JSON.stringify(keys))
  }

  #addObject(object: object, above: readonly string[]): void {
    for (const [key, value] of Object.entries(object) as [string, unknown][]) {
      const keys = [...above, key]
      const field = this.#fieldOf(keys)
      if (field === undefined) continue
      const kind = kindOf(value)
      field.count++
      field.kinds.set(kind, (field.kinds.get(kind) ?? 0) + 1)
      if (typeof value === 'number') noteTime(field, value)
      if (kind === 'object' && keys.length < DEPTH_MAX) this.#addObject(value as object, keys)
    }
  }

  #fieldOf(keys: readonly string[]): Field | undefined {
    const id = JSON.stringify(keys)
    const known = this.#fields.get(id)
    if (known !== undefined) return known
    if (this.#fields.size === FIELDS_MAX) {
      this.#isCut = true
      return undefined
    }
    const field: Field = { keys, path: toPath(keys), count: 0, kinds: new Map(), inSeconds: 0, inMilliseconds: 0 }
    this.#fields.set(id, field)
    return field
  }
}

/** `device."osVersion"`. */
export function toPath(keys: readonly string[]): string {
  return keys.map((key, index) => (index === 0 ? quoteName(key) : quoteLabel(key))).join('.')
}

function noteTime(field: Field, value: number): void {
  if (value >= SECONDS_MIN && value < MILLISECONDS_MIN) field.inSeconds++
  if (value >= MILLISECONDS_MIN && value < MICROSECONDS_MIN) field.inMilliseconds++
}

function kindOf(value: unknown): FieldKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'text'
  return typeof value as 'boolean' | 'number' | 'object'
}
