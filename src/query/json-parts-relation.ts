/** Owns functions in FROM that make rows of a JSON value: unnest, jsonb_array_elements, jsonb_each and their kin. */
import { at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import { isJsonType } from '../sql/functions/json-value.ts'
import { quoteText } from '../sql/identifier.ts'
import type { SqlFragment } from '../sql/expression.ts'
import { giveType, isOpen, settle } from '../sql/literal.ts'
import { nameParts } from '../sql/name-parts.ts'
import type { FuncCall, RangeFunction } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import type { CompileContext } from './compile-context.ts'
import { nowhere } from './guard-place.ts'
import { CONTAINER_CELLS, JSON_PARTS, type JSON_PARTS_COLUMNS } from './json-parts-table.ts'
import type { Relation, RelationColumn } from './relation.ts'

type PartColumn = (typeof JSON_PARTS_COLUMNS)[number]

interface PartsFunction {
  readonly takes: keyof typeof CONTAINER_CELLS
  readonly columns: readonly PartColumn[]
  readonly asText: boolean
  /** Of the only column: unless it has a name of its own it is named as the table is. */
  readonly ownName: boolean
}

const ELEMENTS: PartsFunction = { takes: 'array', columns: ['value'], asText: false, ownName: true }
const MEMBERS: PartsFunction = { takes: 'object', columns: ['key', 'value'], asText: false, ownName: true }

const FUNCTIONS: ReadonlyMap<string, PartsFunction> = new Map([
  ['unnest', { ...ELEMENTS, ownName: false }],
  ['jsonb_array_elements', ELEMENTS],
  ['jsonb_array_elements_text', { ...ELEMENTS, asText: true }],
  ['jsonb_each', MEMBERS],
  ['jsonb_each_text', { ...MEMBERS, asText: true }],
  ['jsonb_object_keys', { ...MEMBERS, columns: ['key'], ownName: false }],
])

const toJsonbName = (name: string): string => name.replace(/^json_/, 'jsonb_')

export function isPartsFunction(name: string): boolean {
  return FUNCTIONS.has(toJsonbName(name))
}

export const PARTS_FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()]

/** Errors: sql_type_mismatch for anything but one JSON value. */
export function compileParts(
  call: FuncCall,
  name: string,
  node: RangeFunction,
  alias: string,
  analyser: Analyser,
  context: CompileContext,
): Relation {
  const parts = FUNCTIONS.get(toJsonbName(name)) ?? ELEMENTS
  const position = analyser.positionOf(call.location)
  const [given, ...more] = (call.args ?? []).map((arg) => analyser.analyse(arg))
  const argument = given !== undefined && isOpen(given) ? giveType(given, 'jsonb') : given
  if (argument === undefined || more.length > 0 || !isJsonType(argument.type)) {
    const types = [given, ...more].flatMap((arg) =>
      arg === undefined ? [] : [isOpen(arg) ? 'text' : settle(arg).type],
    )
    throw new RollupdError('sql_type_mismatch', `${name} in FROM does not take ${types.join(', ') || 'no arguments'}`, {
      position,
      hint: `It takes one ${parts.takes}: FROM rollup, ${name}(rollup.column) AS x.`,
    })
  }
  const { printer, conditions } = context
  const checked = `${CONTAINER_CELLS[parts.takes]}(${printer.printAs(argument, 'any')}, ${quoteText(name)})`
  const text = `${JSON_PARTS}(${conditions.guard(checked, nowhere(name))}, ${parts.asText ? 1 : 0})`
  return new JsonPartsRelation(alias, namedColumns(parts, name, node), text)
}

interface NamedPart extends RelationColumn {
  readonly part: PartColumn
}

/** PostgreSQL's names: those given, else the function's own, else the table's. */
function namedColumns({ columns, asText, ownName }: PartsFunction, name: string, node: RangeFunction): NamedPart[] {
  const given = nameParts(node.alias?.colnames)
  const nameOf = (part: PartColumn): string => (ownName ? part : (node.alias?.aliasname ?? name))
  const typeOf = (part: PartColumn): ScalarType => (part === 'key' || asText ? 'text' : 'any')
  const named = columns.map((part, index) => ({
    name: given[index] ?? nameOf(part),
    type: typeOf(part),
    canFail: part === 'value',
    hidden: false,
    part,
  }))
  if (node.ordinality !== true) return named
  const place = given[columns.length] ?? 'ordinality'
  return [...named, { name: place, type: 'bigint', canFail: false, hidden: false, part: 'place' }]
}

class JsonPartsRelation implements Relation {
  readonly alias: string
  readonly columns: readonly NamedPart[]
  readonly #text: string

  constructor(alias: string, columns: readonly NamedPart[], text: string) {
    this.alias = alias
    this.columns = columns
    this.#text = text
  }

  column(index: number, position: number): SqlFragment {
    const { type, canFail, part } = at(this.columns, index)
    return { kind: 'fragment', sql: `${this.alias}.${part}`, type, canFail, position }
  }

  render(): string {
    return `${this.#text} AS ${this.alias}`
  }
}
