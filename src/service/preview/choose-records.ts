/** Owns which records of several partitions make a sample, and in which order they are looked at. */
import type { SampledRecord } from './sampled-record.ts'

type Partitions = readonly (readonly SampledRecord[])[]

/** The newest by their timestamps, of equal ones as many of each partition; within a partition always its last ones. */
export function chooseNewest(partitions: Partitions, countMax: number): SampledRecord[] {
  const left = partitions.map((records) => records.length)
  const oldestOf = (index: number): number => partitions[index]!.at(-left[index]!)!.timestampMs
  for (let count = sum(left); count > countMax; count--) {
    let oldest = -1
    for (const [index, remaining] of left.entries()) {
      if (remaining === 0) continue
      const difference = oldest < 0 ? -1 : oldestOf(index) - oldestOf(oldest)
      if (difference < 0 || (difference === 0 && remaining > left[oldest]!)) oldest = index
    }
    left[oldest]!--
  }
  return mergeByTime(partitions.map((records, index) => records.slice(records.length - left[index]!)))
}

/** The first of each partition in turn, so that none of them is missing. */
export function chooseInTurn(partitions: Partitions, countMax: number): SampledRecord[] {
  const taken = partitions.map(() => 0)
  for (let count = Math.min(countMax, sum(partitions.map(({ length }) => length))); count > 0;) {
    for (const [index, { length }] of partitions.entries()) {
      if (count === 0 || taken[index] === length) continue
      taken[index]!++
      count--
    }
  }
  return mergeByTime(partitions.map((records, index) => records.slice(0, taken[index])))
}

/** By timestamp, then partition; a partition's records stay in the order of their offsets whatever their timestamps are. */
function mergeByTime(partitions: Partitions): SampledRecord[] {
  const merged: SampledRecord[] = []
  const at = partitions.map(() => 0)
  for (let count = sum(partitions.map(({ length }) => length)); count > 0; count--) {
    let first = -1
    for (const [index, records] of partitions.entries()) {
      const record = records[at[index]!]
      if (record === undefined) continue
      if (first < 0 || record.timestampMs < partitions[first]![at[first]!]!.timestampMs) first = index
    }
    merged.push(partitions[first]![at[first]!]!)
    at[first]!++
  }
  return merged
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
