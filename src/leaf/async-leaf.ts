/** The leaf's port as seen from another thread: the same methods, each a promise; commits have ports of their own. */
import type { LeafStore } from './leaf-store.ts'

export type AsyncLeaf = {
  [Method in keyof Omit<LeafStore, 'commit'>]: (
    ...args: Parameters<LeafStore[Method]>
  ) => Promise<ReturnType<LeafStore[Method]>>
}
