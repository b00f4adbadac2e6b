/** Owns the tree of the paths that a JSON field reader looks for: equal beginnings are one node. */
import { assert } from '../core/assert.ts'
import type { JsonPath } from '../core/json-field.ts'

/** The node is only on the way to others. */
const NO_SLOT = -1

export interface JsonPathNode {
  /** Where the result goes, or -1. */
  readonly slot: number
  /** The child of each wanted key, compared as UTF-8. */
  readonly keys: readonly { readonly name: Uint8Array; readonly node: number }[]
  /** The child of each wanted element, by rising index. */
  readonly elements: readonly { readonly index: number; readonly node: number }[]
  /** All slots below this node: a later duplicate of its key takes back what an earlier one set. */
  readonly slotsBelow: Int32Array
}

export interface JsonPathTrie {
  /** Node 0 is the document. */
  readonly nodes: readonly JsonPathNode[]
  /** The slot of each path: equal paths share one. */
  readonly slots: Int32Array
  readonly slotCount: number
}

interface Draft {
  readonly id: number
  slot: number
  readonly keys: Map<string, Draft>
  readonly elements: Map<number, Draft>
}

/** Shape: one node for each different beginning of a path. */
export function buildJsonPathTrie(paths: readonly JsonPath[]): JsonPathTrie {
  const drafts: Draft[] = []
  const addDraft = (): Draft => {
    const draft: Draft = { id: drafts.length, slot: NO_SLOT, keys: new Map(), elements: new Map() }
    drafts.push(draft)
    return draft
  }
  const root = addDraft()
  const slots = new Int32Array(paths.length)
  let slotCount = 0
  for (const [index, path] of paths.entries()) {
    let draft = root
    for (const step of path) draft = takeChild(draft, step, addDraft)
    if (draft.slot === NO_SLOT) draft.slot = slotCount++
    slots[index] = draft.slot
  }
  return { nodes: drafts.map(toNode), slots, slotCount }
}

function takeChild(parent: Draft, step: string | number, addDraft: () => Draft): Draft {
  assert(typeof step === 'string' || (Number.isSafeInteger(step) && step >= 0), `json path has the index ${step}`)
  const known = typeof step === 'string' ? parent.keys.get(step) : parent.elements.get(step)
  if (known !== undefined) return known
  const child = addDraft()
  if (typeof step === 'string') parent.keys.set(step, child)
  else parent.elements.set(step, child)
  return child
}

function toNode(draft: Draft): JsonPathNode {
  return {
    slot: draft.slot,
    keys: [...draft.keys].map(([key, child]) => ({ name: new TextEncoder().encode(key), node: child.id })),
    elements: [...draft.elements]
      .map(([index, child]) => ({ index, node: child.id }))
      .sort((a, b) => a.index - b.index),
    slotsBelow: Int32Array.from(listSlotsBelow(draft)),
  }
}

function listSlotsBelow(draft: Draft): number[] {
  return [...draft.keys.values(), ...draft.elements.values()].flatMap((child) => [
    ...(child.slot === NO_SLOT ? [] : [child.slot]),
    ...listSlotsBelow(child),
  ])
}
