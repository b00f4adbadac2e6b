/** Owns an evaluation of one statement as anybody would write it over parsed values: the oracle of the compiled fold. */
import { isDeepStrictEqual } from 'node:util'
import { JsonTextError, parseJsonValue, type JsonValue } from '../support/json-value.ts'

/** The statement that `foldNaively` evaluates. */
export const NAIVE_SQL = `SELECT COALESCE(g, h) AS g, COUNT(*) AS n, COUNT(v) AS c, SUM(v) FILTER (WHERE ok) AS s, MAX(v) AS m
  FROM _input WHERE skip IS NULL OR skip < 5 GROUP BY 1`

export interface NaiveGroup {
  records: number
  count: number
  readonly integers: bigint[]
  readonly doubles: number[]
  readonly seen: JsonValue[]
}

export interface NaiveResult {
  readonly groups: Map<string, NaiveGroup>
  aggregated: number
  filtered: number
  dead: number
}

/** A record's text, and the texts of its members; undefined: the text is no document. */
export interface NaiveRecord {
  readonly text: string
  readonly members: ReadonlyMap<string, string> | undefined
}

/** Evaluates records one by one. Groups by the text of their key: kind and value. */
export function foldNaively(records: readonly NaiveRecord[]): NaiveResult {
  const result: NaiveResult = { groups: new Map(), aggregated: 0, filtered: 0, dead: 0 }
  for (const record of records) {
    try {
      foldRecord(record, result)
    } catch (error) {
      if (!(error instanceof BadRecord) && !(error instanceof JsonTextError)) throw error
      result.dead++
    }
  }
  return result
}

class BadRecord extends Error {}

function foldRecord({ members }: NaiveRecord, result: NaiveResult): void {
  if (members === undefined) throw new BadRecord()
  // Parsed where it is needed: an unused broken text or number harms nobody.
  const field = (name: string): JsonValue => {
    const bytes = Buffer.from(members.get(name) ?? 'null')
    const value = parseJsonValue(bytes, 0, bytes.length)
    if (typeof value === 'number' && !Number.isFinite(value)) throw new BadRecord()
    return value
  }
  const skip = field('skip')
  const isKept = skip === null || ((typeof skip === 'number' || typeof skip === 'bigint') && skip < 5)
  if (!isKept) {
    result.filtered++
    return
  }
  const key = field('g') ?? field('h')
  const isTaken = members.get('ok') === 'true'
  const value = field('v')
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  // SUM is asked only behind its filter, MAX always; arrays and objects are nothing for either
  if (isTaken && value !== null && !isNumber) throw new BadRecord()
  if (value !== null && typeof value === 'object') throw new BadRecord()
  const name = toKeyName(key)
  const group = result.groups.get(name) ?? { records: 0, count: 0, integers: [], doubles: [], seen: [] }
  result.groups.set(name, group)
  result.aggregated++
  group.records++
  if (value === null) return
  group.count++
  if (!group.seen.some((seen) => isDeepStrictEqual(seen, value))) group.seen.push(value)
  if (isTaken && typeof value === 'bigint') group.integers.push(value)
  if (isTaken && typeof value === 'number') group.doubles.push(value)
}

/** 3 and 3.0 have one name; kinds have names of their own. */
export function toKeyName(key: unknown): string {
  if (key instanceof Map) {
    const pairs = [...key].map(([name, value]) => `${JSON.stringify(name)}:${toKeyName(value)}`)
    return `object {${pairs.toSorted().join(',')}}`
  }
  if (Array.isArray(key)) return `array [${key.map(toKeyName).join(',')}]`
  if (typeof key === 'number' && Number.isInteger(key)) return `number ${BigInt(key)}`
  if (typeof key === 'bigint' || typeof key === 'number') return `number ${key}`
  return `${typeof key} ${JSON.stringify(key)}`
}
