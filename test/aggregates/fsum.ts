/**
 * Owns the comparison of SUM with Python's math.fsum, which gives the double nearest to the exact sum too: lists of doubles that are hard
 * to add, the sums as one Python process gives them, and as SUM gives them when each list is folded in two batches.
 * Source: https://docs.python.org/3/library/math.html#math.fsum
 */
import { spawnSync } from 'node:child_process'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { finish, stateOf } from './fold-values.ts'

/** A list of finite doubles and its sum. */
export interface SumVector {
  readonly values: readonly number[]
  readonly sum: number
}

const LENGTH_MAX = 40
const PYTHON = 'python3'
/** Some million doubles. */
const OUTPUT_BYTES_MAX = 1 << 28
/** Lists come as lines of hexadecimal doubles; fsum raises OverflowError where a partial sum is beyond all doubles. */
const PROGRAM = `
import math, sys
for line in sys.stdin:
    values = [float.fromhex(text) for text in line.split()]
    try:
        print(math.fsum(values).hex())
    except OverflowError:
        print('overflow')
`

export function hasPython(): boolean {
  return spawnSync(PYTHON, ['-c', 'import math']).status === 0
}

/** Those lists that fsum adds, with its sums. */
export function addWithPython(lists: readonly (readonly number[])[]): SumVector[] {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', PROGRAM], {
    input: lists.map((values) => `${values.map(toHex).join(' ')}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  if (status !== 0) throw new Error(`${PYTHON}: ${stderr}`)
  const sums = stdout.trimEnd().split('\n')
  return lists.flatMap((values, index) => {
    const text = sums[index] as string
    return text === 'overflow' ? [] : [{ values, sum: fromHex(text) }]
  })
}

/** SUM of both halves, folded apart and merged. */
export function sumOf(values: readonly number[]): unknown {
  const sum = resolveAggregate('sum', ['double precision'])!
  const middle = values.length >> 1
  const [left, right] = [values.slice(0, middle), values.slice(middle)].map((half) => stateOf(sum, half))
  return finish(sum, sum.merge(left!, right!))
}

/** C's form of a double, 0x1.8p+1 for 3: all its bits in a few characters. */
export function toHex(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = (bits & ((1n << 52n) - 1n)).toString(16).padStart(13, '0')
  const sign = bits >> 63n === 1n ? '-' : ''
  return exponent === 0 ? `${sign}0x0.${fraction}p-1022` : `${sign}0x1.${fraction}p${exponent - 1023}`
}

export function fromHex(text: string): number {
  const [, sign, whole, fraction = '', exponent] = /^(-?)0x([01])(?:\.([\da-f]+))?p([+-]?\d+)$/.exec(text) ?? []
  if (exponent === undefined) throw new Error(`${text} is no double in hexadecimal`)
  // whole and fraction have 53 bits together
  const significand = Number.parseInt(`${whole}${fraction.padEnd(13, '0')}`, 16) / 2 ** 52
  const power = Number(exponent)
  // in two steps, since 2 ** -1022 times a fraction may be subnormal, but 2 ** -1074 alone isn't less
  return (
    (sign === '-' ? -1 : 1) *
    (power < -1022 ? significand * 2 ** -1022 * 2 ** (power + 1022) : significand * 2 ** power)
  )
}

/** A list of up to LENGTH_MAX doubles that is hard to add in one of many ways. */
export function hardList(random: SeededRandom): number[] {
  const length = 1 + random.below(LENGTH_MAX)
  const make = random.pick(MAKERS)
  const values = Array.from({ length }, () => make(random))
  // what was added comes off again, but for a little
  if (random.chance(0.5)) values.push(...values.map((value) => -value), make(random))
  return shuffled(random, values)
}

const MAKERS: readonly ((random: SeededRandom) => number)[] = [
  (random) => random.next() - 0.5,
  (random) => (random.below(2_000_000) - 1_000_000) / 100,
  (random) => anyBits(random, -60, 60),
  (random) => anyBits(random, -1022, 900),
  (random) => anyBits(random, 900, 1023),
  // subnormal, and beside them
  (random) => (random.below(2 ** 31) - 2 ** 30) * Number.MIN_VALUE * 2 ** random.below(30),
  // halves between two doubles, and a little more or less
  (random) => random.pick([1, -1]) * 2 ** random.pick([0, 0, -53, -53, -54, -105, -106, -150, 53, 106]),
  (random) =>
    random.pick([1e16, -1e16, 1, -1, 1e-16, 1e100, -1e100, 1e308, -1e308, Number.MIN_VALUE, 2 ** 62, 2 ** -97]),
]

function anyBits(random: SeededRandom, from: number, to: number): number {
  const magnitude = (1 + random.next()) * 2 ** (from + random.below(to - from + 1))
  return random.chance(0.5) ? magnitude : -magnitude
}

function shuffled(random: SeededRandom, values: readonly number[]): number[] {
  return values
    .map((value) => ({ value, key: random.next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value)
}
