/** Owns what the text of a fold names: registers, fields, values that come in from outside, labels. */
import type { JsonPath } from '../core/json-field.ts'
import type { Registers } from '../core/registers.ts'
import type { Expression, Field, Literal } from '../sql/expression.ts'
import { loadLiteral } from '../sql/literal-value.ts'

export class CodeNames {
  readonly fields: JsonPath[] = []
  /** Of an element of the array that is unnested. */
  readonly elementFields: JsonPath[] = []
  /** What the text calls v[0], v[1], ... */
  readonly values: unknown[] = []
  registerCount = 0
  /** Whether the record's metadata are read. */
  usesMetadata = false
  readonly #literals: { readonly register: number; readonly literal: Literal }[] = []
  readonly #registers = new Map<string, number>()
  readonly #fieldIndexes = new Map<string, number>()
  #labels = 0

  /** The value's name in the text. */
  value(value: unknown): string {
    this.values.push(value)
    return `v[${this.values.length - 1}]`
  }

  /** One for all expressions of that key. */
  registerOf(key: string, expression: Expression): number {
    const known = this.#registers.get(key)
    if (known !== undefined) return known
    const register = this.newRegister()
    this.#registers.set(key, register)
    if (expression.kind === 'literal') this.#literals.push({ register, literal: expression })
    return register
  }

  newRegister(): number {
    return this.registerCount++
  }

  newLabel(): string {
    return `end${this.#labels++}`
  }

  /** The index of a field of the record that no expression need read. */
  indexOf(path: JsonPath): number {
    return this.fieldIndex({ kind: 'field', path, type: 'any', position: 0 })
  }

  fieldIndex(field: Field): number {
    const key = JSON.stringify([field.element !== undefined, field.path])
    const known = this.#fieldIndexes.get(key)
    if (known !== undefined) return known
    const fields = field.element === undefined ? this.fields : this.elementFields
    const index = fields.push(field.path) - 1
    this.#fieldIndexes.set(key, index)
    return index
  }

  loadLiterals(r: Registers): void {
    for (const { register, literal } of this.#literals) loadLiteral(r, register, literal)
  }
}
