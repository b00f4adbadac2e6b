/** Owns the messages of the leaf thread: calls of the port's methods, and commits on ports of their own. */
import type { MessagePort } from 'node:worker_threads'
import type { ErrorMessage } from '../core/error-message.ts'
import type { Answer } from '../core/pending-calls.ts'
import type { AsyncLeaf } from './async-leaf.ts'

/** What the thread is started with. */
export interface LeafWorkerData {
  /** leaf.db */
  readonly path: string
  /** Dead letters kept for each rollup. */
  readonly deadLettersMax: number
}

/** Methods that answer a call; commits have their own ports. */
export type LeafMethod = keyof AsyncLeaf

export type ToLeaf =
  | { readonly kind: 'call'; readonly call: number; readonly method: LeafMethod; readonly args: readonly unknown[] }
  /** The port is transferred; CommitRequests come on it. */
  | { readonly kind: 'connect'; readonly port: MessagePort }

export type FromLeaf =
  | { readonly kind: 'ready' }
  /** The leaf couldn't be opened; the thread ends. */
  | { readonly kind: 'failed'; readonly error: ErrorMessage }
  | Answer<unknown>

/** Bytes of one partial batch, transferred. */
export interface CommitRequest {
  readonly call: number
  readonly batch: ArrayBuffer
}
