/**
 * Owns the exact distinct values of many groups while records are folded. A value costs no object, unless it is long. A group past the bound
 * takes no more.
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { CountedMembers } from './counted-members.ts'
import {
  createMembersState,
  DISTINCT_MAX,
  hashedMember,
  HEAD_BYTES,
  MEMBER_BYTES_MAX,
  pastState,
} from './distinct-set.ts'
import { compareEntries } from './entry-writer.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { NULL: TAG_NULL, JSON: TAG_JSON } = TAG
const MEMBER_MAX = MEMBER_BYTES_MAX
const COUNT_MAX = DISTINCT_MAX

/** The order of members in a state: each has its length in front. */
const compareByLength: typeof compareEntries = (left, l, leftLength, right, r, rightLength) =>
  leftLength - rightLength || compareEntries(left, l, leftLength, right, r, rightLength)

export class DistinctSetAccumulator implements Accumulator {
  readonly #key = new KeyWriter()
  /** One more than COUNT_MAX of a group: past the bound. */
  readonly #members = new CountedMembers()

  grow(capacity: number): void {
    this.#members.grow(capacity)
  }

  get extraBytes(): number {
    return this.#members.extraBytes
  }

  /** Arrays and objects may hold what no key can. */
  check(r: Registers, arg: number): CellError | null {
    const tag = r.tag[arg]
    if (tag !== TAG_JSON) return null
    this.#key.reset()
    return this.#key.appendRegister(r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL || this.#members.distinctOf(group) > COUNT_MAX) return
    const key = this.#key
    key.reset()
    key.appendRegister(r, arg)
    if (key.length <= MEMBER_MAX) this.#members.add(group, key.bytes, key.length)
    else {
      const member = hashedMember(key.bytes.subarray(0, key.length))
      this.#members.add(group, member, member.length)
    }
  }

  stateOf(group: number, into: StateValue[]): void {
    const count = this.#members.distinctOf(group)
    into[0] = count === 0 ? null : count > COUNT_MAX ? pastState() : this.#membersOf(group, count)
  }

  #membersOf(group: number, count: number): Uint8Array {
    const state = createMembersState(this.#members.bytesOf(group) + count)
    let at = HEAD_BYTES
    const write = (bytes: Uint8Array, start: number, length: number): void => {
      state[at++] = length
      for (let from = start; from < start + length; from++) state[at++] = bytes[from]!
    }
    this.#members.visit(group, write, compareByLength)
    return state
  }

  reset(used?: number): void {
    this.#members.reset(used)
  }
}
