/** Owns what a dialect is: how one of the other engines is asked, and what statements for it may hold. */
import { assert } from '../../src/core/assert.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import type { Signature } from './signatures.ts'
import { call, castTo, type FieldNode, type LiteralNode, type Node } from './syntax.ts'
import type { JsonNode } from './value.ts'

/** A field of the events: its column in the engine, the type that statements cast it to, its values. */
export interface DialectField {
  readonly name: string
  /** SQL type of the engine's column. */
  readonly column: 'bigint' | 'double precision' | 'text' | 'boolean'
  readonly type: ScalarType
  readonly make: (random: SeededRandom) => JsonNode
}

export interface Dialect {
  readonly name: 'PostgreSQL' | 'DuckDB'
  readonly fields: readonly DialectField[]
  /** Fields of doubles whose sums no engine rounds on the way. */
  readonly exactDoubles: readonly string[]
  /** What its expressions may have. */
  readonly types: readonly ScalarType[]
  readonly allows: (signature: Signature) => boolean
  readonly allowsAggregate: (name: string, args: readonly ScalarType[]) => boolean
  readonly allowsSymmetric: boolean
  readonly literal: (type: ScalarType, random: SeededRandom) => LiteralNode | undefined
  /** Arguments that must be written out, or of one kind; undefined: any of the type. */
  readonly argument: (id: string, index: number, random: SeededRandom) => Node | undefined
  readonly print: (node: Node) => string
  /** An output as text that toValue reads. */
  readonly printOutput: (node: Node) => string
}

export const DIALECT_TYPES: readonly ScalarType[] = ['boolean', 'bigint', 'double precision', 'text', 'timestamptz']

export function dialectField(name: string): FieldNode {
  return { kind: 'field', type: 'any', path: [name] }
}

/** The first of that type: a small integer, for one. */
export function firstField({ fields }: Dialect, type: ScalarType): FieldNode {
  const field = fields.find((one) => one.type === type)
  assert(field !== undefined, `no field of type ${type}`)
  return dialectField(field.name)
}

/** Arguments of SUM and AVG whose totals no engine rounds on the way. */
export function exactDouble(random: SeededRandom, { exactDoubles }: Dialect): Node {
  const [x, y] = [0, 1].map(() => castTo('double precision', dialectField(random.pick(exactDoubles)))) as [Node, Node]
  return random.pick([x, y, call('function', 'abs', [x]), call('operator', '+', [x, y]), call('operator', '-', [y, x])])
}
