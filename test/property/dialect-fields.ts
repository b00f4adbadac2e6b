/** Owns the fields, all cast, that statements for other engines read, and the values and literals of each type. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import type { DialectField } from './dialect.ts'
import type { LiteralNode } from './syntax.ts'
import type { JsonNode } from './value.ts'

const TEXTS = ['', 'a', 'A', 'ab', 'Abc', 'b c', ' a ', 'ä', 'Ü', 'é', '日本', '😀', "it's", 'a%b', 'x_y', '12', 'true']
const WIDE = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '4294967296', '-1', '1000000']
const DOUBLES = ['0.1', '1.5', '-2.5', '3.0', '1e300', '1e-300', '1e15', '123456.789', '0.5', '1e22']

const SPANS = [
  '1 day',
  '-1 days',
  '24:00:00',
  '1 mon',
  '30 days',
  '1 year 2 mons -3 days +04:05:06.7',
  '-00:00:01.5',
  'PT36H',
]

/** Fields of doubles whose sums no engine rounds on the way. */
export const EXACT_DOUBLES = ['x', 'y']

const number = (value: string | number): JsonNode => ({ number: String(value) })
const text = (value: string): JsonNode => ({ text: value })
const small = (random: SeededRandom): JsonNode => number(random.below(30) - 9)
/** Eighths below 2^43: sums of some are doubles, in any order. */
const eighth = (random: SeededRandom): JsonNode => number(((random.below(2 ** 30) - 2 ** 29) / 8).toFixed(3))

/** Years 1 to 9999, as every engine reads and shows them. */
function timeText(random: SeededRandom, zones: readonly string[]): string {
  const year = random.chance(0.7) ? 1960 + random.below(90) : 1 + random.below(9998)
  const two = (value: number): string => String(value).padStart(2, '0')
  const fraction = random.chance(0.5) ? '' : `.${String(random.below(1_000_000)).padStart(6, '0')}`
  const clock = `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}${fraction}`
  const day = `${String(year).padStart(4, '0')}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`
  return `${day}T${clock}${random.pick(zones)}`
}

export function fieldsOf(zones: readonly string[], integers: readonly string[]): DialectField[] {
  return [
    { name: 'i', column: 'bigint', type: 'bigint', make: small },
    { name: 'j', column: 'bigint', type: 'bigint', make: small },
    { name: 'w', column: 'bigint', type: 'bigint', make: (random) => number(random.pick(WIDE)) },
    { name: 'n', column: 'text', type: 'bigint', make: (random) => text(random.pick(integers)) },
    { name: 'x', column: 'double precision', type: 'double precision', make: eighth },
    { name: 'y', column: 'double precision', type: 'double precision', make: eighth },
    { name: 'd', column: 'double precision', type: 'double precision', make: (random) => number(random.pick(DOUBLES)) },
    {
      name: 'e',
      column: 'double precision',
      type: 'double precision',
      make: (random) => number((random.next() * 4e9 - 2e9).toFixed(6)),
    },
    { name: 's', column: 'text', type: 'text', make: (random) => text(random.pick(TEXTS)) },
    { name: 'u', column: 'text', type: 'text', make: (random) => text(random.pick(TEXTS)) },
    { name: 'p', column: 'boolean', type: 'boolean', make: (random) => random.chance(0.5) },
    { name: 'q', column: 'boolean', type: 'boolean', make: (random) => random.chance(0.5) },
    { name: 'z', column: 'text', type: 'timestamptz', make: (random) => text(timeText(random, zones)) },
  ]
}

/** Of the types that PostgreSQL alone is asked for, too. */
export function postgresFields(zones: readonly string[], integers: readonly string[]): DialectField[] {
  return [
    ...fieldsOf(zones, integers),
    { name: 'l', column: 'text', type: 'timestamp', make: (random) => text(timeText(random, [''])) },
    { name: 'c', column: 'text', type: 'date', make: (random) => text(timeText(random, ['']).slice(0, 10)) },
    { name: 'v', column: 'text', type: 'interval', make: (random) => text(random.pick(SPANS)) },
  ]
}

export function literalOf(type: ScalarType, random: SeededRandom, zones: readonly string[]): LiteralNode | undefined {
  switch (type) {
    case 'boolean':
      return { kind: 'literal', type, value: random.chance(0.5) }
    case 'bigint':
      return { kind: 'literal', type, value: random.chance(0.9) ? String(random.below(12) - 3) : random.pick(WIDE) }
    case 'double precision':
      return { kind: 'literal', type, value: Number(random.pick(DOUBLES)) }
    case 'text':
      return { kind: 'literal', type, value: random.pick(TEXTS) }
    case 'timestamptz':
      return { kind: 'literal', type, value: timeText(random, zones) }
    case 'timestamp':
      return { kind: 'literal', type, value: timeText(random, ['']) }
    case 'date':
      return { kind: 'literal', type, value: timeText(random, ['']).slice(0, 10) }
    case 'interval':
      return { kind: 'literal', type, value: random.pick(SPANS) }
    default:
      return undefined
  }
}
