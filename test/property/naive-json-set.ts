/** Owns the naive evaluator's JSON values with a part changed, and JSON over several lines. Written from PostgreSQL's pages and its answers. */
import { lax, strict, textOf, wrongKind, type NaiveFunction } from './naive-call.ts'
import { showCanonical, toNode } from './naive-json.ts'
import { fieldValue, Json, RowError, type JsonNode, type Value } from './value.ts'
import { readPath } from './naive-text.ts'

export type Path = readonly (string | null)[]

/** A text as it is written for an array, or a JSON array of texts. */
export function pathOf(value: Value | undefined): Path {
  if (typeof value === 'string') return readPath(value)
  if (!(value instanceof Json) || !('elements' in value.node)) throw wrongKind()
  return value.node.elements.map((element) => {
    const step = fieldValue(element)
    return step === null ? null : textOf(step)
  })
}

/** The place in an array that a step is; undefined: none. */
export function placeOf(step: string): number | undefined {
  const text = step.replace(/^[ \t\n\v\f\r]+/, '')
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const place = BigInt(text.replace('+', ''))
  return BigInt.asIntN(32, place) === place ? Number(place) : undefined
}

type Edit = 'set' | 'create' | 'before' | 'after' | 'delete'

function refuse(): never {
  throw new RowError('invalid_argument')
}

function edited(node: JsonNode, path: Path, how: Edit, value: JsonNode): JsonNode {
  const [step, ...rest] = path
  if (step === undefined) return node
  if (step === null) return refuse()
  if (typeof node !== 'object' || node === null) return node
  const adds = how === 'create' || how === 'before' || how === 'after'
  if ('elements' in node) {
    const place = placeOf(step)
    if (place === undefined) return refuse()
    const { elements } = node
    const from = Math.min(place < 0 ? elements.length + place : place, elements.length)
    if (rest.length > 0)
      return { elements: elements.map((one, index) => (index === from ? edited(one, rest, how, value) : one)) }
    if (from < 0) return { elements: adds ? [value, ...elements] : elements }
    if (from === elements.length) return { elements: adds ? [...elements, value] : elements }
    const put = { set: [value], create: [value], delete: [] } as Partial<Record<Edit, JsonNode[]>>
    const own = elements[from] as JsonNode
    const parts = put[how] ?? (how === 'before' ? [value, own] : [own, value])
    return { elements: elements.toSpliced(from, 1, ...parts) }
  }
  if (!('members' in node)) return node
  const members = new Map(node.members)
  const own = members.get(step)
  if (own === undefined) {
    if (rest.length === 0 && adds) members.set(step, value)
  } else if (rest.length > 0) members.set(step, edited(own, rest, how, value))
  else if (how === 'delete') members.delete(step)
  else if (how === 'before' || how === 'after') refuse()
  else members.set(step, value)
  return { members: [...members] }
}

function changed(value: Value, path: Path, how: Edit, part: JsonNode): Value {
  if (!(value instanceof Json)) throw wrongKind()
  const { node } = value
  const isEmpty = 'elements' in node ? node.elements.length === 0 : node.members.length === 0
  if (isEmpty && (how === 'set' || how === 'delete')) return value
  return new Json(edited(node, path, how, part) as Json['node'])
}

function flagOf(value: Value | undefined): boolean {
  if (typeof value !== 'boolean') throw wrongKind()
  return value
}

function setLax(args: readonly Value[]): Value {
  const [target = null, steps = null, value = null, create = true, treatment = 'use_json_null'] = args
  if (target === null || steps === null || create === null) return null
  const path = pathOf(steps)
  const how = flagOf(create) ? 'create' : 'set'
  if (treatment !== null) textOf(treatment)
  if (treatment === null) return refuse()
  if (value !== null || treatment === 'use_json_null') return changed(target, path, how, toNode(value))
  if (treatment === 'return_target') return target
  return treatment === 'delete_key' ? changed(target, path, 'delete', null) : refuse()
}

function prettyText(text: string): string {
  let depth = 0
  const line = (): string => `\n${' '.repeat(4 * depth)}`
  return text.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]/gs, (token) => {
    if (token === ':') return ': '
    if (token === ',') return `,${line()}`
    if (token === '[' || token === '{') {
      depth += 1
      return `${token}${line()}`
    }
    if (token === ']' || token === '}') {
      depth -= 1
      return `${line()}${token}`
    }
    return token
  })
}

export const NAIVE_JSON_SET: Readonly<Record<string, NaiveFunction>> = {
  jsonb_set: strict(([target = null, steps, value = null, create = true]) => {
    const path = pathOf(steps)
    return changed(target, path, flagOf(create) ? 'create' : 'set', toNode(value))
  }),
  jsonb_set_lax: lax((args) => setLax(args)),
  jsonb_insert: strict(([target = null, steps, value = null, after = false]) => {
    const path = pathOf(steps)
    return changed(target, path, flagOf(after) ? 'after' : 'before', toNode(value))
  }),
  remove_path: strict(([target = null, steps]) => changed(target, pathOf(steps), 'delete', null)),
  // an empty array or object takes two lines and none between them
  jsonb_pretty: strict(([value = null]) => prettyText(showCanonical(value)).replace(/([[{])\n +(\n *[\]}])/g, '$1$2')),
}
