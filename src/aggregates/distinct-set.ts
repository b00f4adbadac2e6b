/**
 * Owns the state of an exact set of values: their key bytes in ascending order, so equal sets have equal bytes however they came
 * about (law 5). Past DISTINCT_MAX values only that is kept. A long value stands as its SHA-256: no two are known to share one, and
 * nobody can choose two that do.
 *
 * Bytes: version | form | members, each with its length in front (1 byte); the order is by length, then by bytes.
 */
import { hash } from 'node:crypto'
import { assert } from '../core/assert.ts'

const BYTES_VERSION = 1
const FORM = { members: 0, past: 1 } as const
export const HEAD_BYTES = 2
/** Exact up to here. The state of such a group takes up to 650 KB, written with each commit that touches it. */
export const DISTINCT_MAX = 10_000
/** Longest key that stands as it is: above an UUID's 38 bytes. */
export const MEMBER_BYTES_MAX = 64
/** No key begins with it (key-bytes.ts). */
const HASHED_TAG = 0xff

/** What stands for a key longer than MEMBER_BYTES_MAX. */
export function hashedMember(key: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(HASHED_TAG), hash('sha256', key, 'buffer')])
}

/** The state of more values than DISTINCT_MAX. */
export function pastState(): Uint8Array {
  return Uint8Array.of(BYTES_VERSION, FORM.past)
}

/** Starts the state of a set; the caller writes the members from HEAD_BYTES on. */
export function createMembersState(memberBytes: number): Uint8Array {
  const state = new Uint8Array(HEAD_BYTES + memberBytes)
  state[0] = BYTES_VERSION
  state[1] = FORM.members
  return state
}

/** Order of two members, each given by the place of its length. */
export function compareMembers(left: Uint8Array, l: number, right: Uint8Array, r: number): number {
  const length = left[l]!
  for (let index = 0; index <= length; index++) {
    const difference = left[l + index]! - right[r + index]!
    if (difference !== 0) return difference
  }
  return 0
}

function isPast(state: Uint8Array): boolean {
  assert(state[0] === BYTES_VERSION, `distinct set has version ${state[0]}`)
  return state[1] === FORM.past
}

/** The state of both sets together. */
export function mergeSets(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (isPast(left) || isPast(right)) return pastState()
  const union = createMembersState(left.length + right.length - 2 * HEAD_BYTES)
  let length = HEAD_BYTES
  let count = 0
  for (let l = HEAD_BYTES, r = HEAD_BYTES; l < left.length || r < right.length; count++) {
    if (count === DISTINCT_MAX) return pastState()
    const order = l >= left.length ? 1 : r >= right.length ? -1 : compareMembers(left, l, right, r)
    const [from, at] = order <= 0 ? [left, l] : [right, r]
    const end = at + 1 + from[at]!
    for (let index = at; index < end; index++) union[length++] = from[index]!
    if (order <= 0) l += 1 + left[l]!
    if (order >= 0) r += 1 + right[r]!
  }
  return union.slice(0, length)
}

/** How many members; undefined: more than DISTINCT_MAX. */
export function countMembers(state: Uint8Array): number | undefined {
  let count = 0
  return visitMembers(state, () => count++) ? count : undefined
}

/** Hands out where each member begins; false: there are more than DISTINCT_MAX, and none is left. */
export function visitMembers(state: Uint8Array, visit: (bytes: Uint8Array, at: number) => void): boolean {
  if (isPast(state)) return false
  for (let at = HEAD_BYTES; at < state.length; at += 1 + state[at]!) visit(state, at + 1)
  return true
}

/** Whether the member that begins there stands for a longer key. */
export function isHashedMember(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === HASHED_TAG
}
