/** MIN_BY and MAX_BY: the value beside the extreme, ties by the value's own order. */
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { finish, stateOf, type Arguments, type Value } from './fold-values.ts'
import { anyDouble, anyInteger, keyOf, text } from './number-values.ts'

type Pair = readonly [Value, Value]

function finished(name: string, pairs: readonly Arguments[], types: readonly ScalarType[] = ['any', 'any']): unknown {
  const aggregate = resolveAggregate(name, types)!
  return finish(aggregate, stateOf(aggregate, pairs))
}

test('the least value of those with the first or last key of `by`', () => {
  const number = fc.oneof(anyInteger, anyDouble, fc.integer({ min: 0, max: 3 }).map(BigInt))
  for (const by of [number, text, fc.boolean()]) {
    const value = fc.oneof(number, text, fc.constant(null))
    fc.assert(
      fc.property(fc.array(fc.tuple<[Value, Value]>(value, by), { minLength: 1 }), (pairs) => {
        for (const [name, position] of [
          ['min_by', 0],
          ['max_by', -1],
        ] as const) {
          const extreme = pairs
            .map(([, one]) => keyOf(one))
            .toSorted()
            .at(position)
          const values = pairs.filter(([, one]) => keyOf(one) === extreme).map(([one]) => keyOf(one))
          expect(keyOf(finished(name, pairs) as Value)).toBe(values.toSorted()[0])
        }
      }),
    )
  }
})

test('a NULL value counts, a NULL `by` does not', () => {
  const pairs: Pair[] = [
    ['a', 5n],
    [null, 9.5],
    ['b', null],
    ['c', 1n],
  ]
  expect(finished('max_by', pairs)).toBe(null)
  expect(finished('min_by', pairs)).toBe('c')
  expect(finished('max_by', [...pairs, ['z', 9.5], ['y', 9.5]])).toBe('y')
  expect(finished('max_by', [['b', null]])).toBe(null)
  expect(finished('min_by', [])).toBe(null)
})

test('texts of which one begins the other', () => {
  const pairs: Pair[] = ['a', 'ab', '', 'abc'].map((by) => [`value ${by}`, by])
  expect(finished('max_by', pairs)).toBe('value abc')
  expect(finished('min_by', pairs)).toBe('value ')
})

test('declared types come back as themselves', () => {
  expect(finished('max_by', [[2, 1n]], ['double precision', 'bigint'])).toBe(2)
  expect(finished('max_by', [[1e300, 1n]], ['double precision', 'bigint'])).toBe(1e300)
  expect(finished('max_by', [[true, 'x']], ['boolean', 'text'])).toBe(true)
  expect(finished('min_by', [[{ micros: 7n }, { micros: 3n }]], ['timestamptz', 'timestamptz'])).toEqual({ micros: 7n })
  expect(resolveAggregate('max_by', ['interval', 'any'])).toBeUndefined()
})

test('a `by` of more than one kind: an error that names them when it is read', () => {
  expect(
    finished('max_by', [
      [1n, 1n],
      [1n, 'a'],
    ]),
  ).toEqual({ error: 'mixed_kinds' })
})

test('the bytes of a state', () => {
  const bytesOf = (name: string): string =>
    Buffer.from(stateOf(resolveAggregate(name, ['any', 'boolean'])!, [['é', true]])[0] as Uint8Array).toString('hex')
  expect(bytesOf('min_by')).toBe('4120c3a900')
  expect(bytesOf('max_by')).toBe('be20c3a900')
})

test("DuckDB's arg_min_null and arg_max_null give the same where no two `by` are equal", async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const value = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant(null))
  const by = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -50, max: 50 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  const lists = fc.sample(
    fc.uniqueArray(fc.tuple(value, by), { minLength: 1, maxLength: 6, selector: ([, one]) => one ?? NaN }),
    { numRuns: 40, seed: 3 },
  )
  try {
    for (const list of lists) {
      const rows = list.map(([v, b]) => `(${v === null ? 'NULL' : `'${v}'`}, ${b ?? 'NULL'}::bigint)`)
      const sql = `SELECT arg_min_null(v, b), arg_max_null(v, b) FROM (VALUES ${rows.join(', ')}) AS t(v, b)`
      const pairs = list.map(([v, b]): Pair => [v, b === null ? null : BigInt(b)])
      const own = ['min_by', 'max_by'].map((name) => finished(name, pairs, ['text', 'bigint']))
      expect([list, own]).toEqual([list, (await connection.runAndReadAll(sql)).getRows()[0]])
    }
  } finally {
    connection.closeSync()
  }
})
