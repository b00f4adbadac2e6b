/**
 * Owns `$1` and `:name`: their values become literals where they stand, so they take the other side's type as a written literal
 * does, and indexes serve them.
 */
import { RollupdError } from '../core/errors.ts'
import type { Literal } from '../sql/expression.ts'
import { giveType, literal, toLiteral } from '../sql/literal.ts'
import type { QueryParameters } from './query-request.ts'

export class ParameterValues {
  readonly #values: readonly unknown[]
  readonly #names: readonly string[]

  /** Errors: bad_parameter when names of the statement and of the object differ, or an array meets named parameters. */
  constructor(given: QueryParameters, names: readonly string[]) {
    this.#names = names
    if (Array.isArray(given)) {
      if (names.length > 0)
        throw refuse('the statement has named parameters, params is an array', `Send an object: {"${names[0]}": ...}.`)
      this.#values = given
    } else {
      const byName = given as Readonly<Record<string, unknown>>
      for (const name of Object.keys(byName)) {
        if (!names.includes(name))
          throw refuse(`the statement has no parameter :${name}`, 'Remove it from params, or name it in the statement.')
      }
      for (const name of names) {
        if (!Object.hasOwn(byName, name)) throw refuse(`params has no value for :${name}`, `Add "${name}" to params.`)
      }
      this.#values = names.map((name) => byName[name])
    }
  }

  /** $number at a position. Errors: bad_parameter when there is no such value, or its type has no place in SQL. */
  literal(number: number, position: number): Literal {
    const shown = this.#names[number - 1] === undefined ? `$${number}` : `:${this.#names[number - 1]}`
    if (number > this.#values.length) {
      throw refuse(`params has no value for ${shown}`, `Send an array of at least ${number} values.`, position)
    }
    const value = this.#values[number - 1]
    switch (typeof value) {
      case 'boolean':
        return literal('boolean', value, position)
      case 'number':
      case 'bigint':
        if (typeof value === 'number' && !Number.isFinite(value)) throw refuseRange(shown, position)
        return toLiteral({ fval: { fval: String(value) } }, position)
      case 'string':
        checkText(value, shown, position)
        return literal('unknown', value, position)
      case 'object':
        if (value === null) return literal('unknown', null, position)
        return giveType(literal('unknown', toJson(value, shown, position), position), 'jsonb')
      default:
    }
    throw refuse(
      `the parameter ${shown} is of type ${typeof value}`,
      'Values are null, booleans, numbers, texts, arrays and objects.',
      position,
    )
  }
}

/** An array or object as JSON text; numbers keep the digits that the request's reader has. */
function toJson(value: unknown, shown: string, position: number): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') checkText(value, shown, position)
  if (typeof value === 'number' && !Number.isFinite(value)) throw refuseRange(shown, position)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((element) => toJson(element, shown, position)).join(',')}]`
  const members = Object.entries(value).map(([key, member]) => {
    checkText(key, shown, position)
    return `${JSON.stringify(key)}:${toJson(member, shown, position)}`
  })
  return `{${members.join(',')}}`
}

function refuseRange(shown: string, position: number): RollupdError {
  return refuse(
    `the number of the parameter ${shown} is outside the range of double precision`,
    'Send the number as text, and cast it.',
    position,
  )
}

function checkText(value: string, shown: string, position: number): void {
  if (value.isWellFormed() && !value.includes('\0')) return
  throw refuse(
    `the text of the parameter ${shown} holds a NUL or a lone surrogate`,
    'Text is valid Unicode without NUL.',
    position,
  )
}

function refuse(message: string, hint: string, position?: number): RollupdError {
  return new RollupdError('bad_parameter', message, { hint, position })
}
