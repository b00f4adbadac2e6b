/** Owns the messages of the leaf thread: calls of the port's methods, and commits on ports of their own. */
import type { MessagePort } from 'node:worker_threads'
import type { ErrorCode } from '../core/errors.ts'
import { RollupdError } from '../core/errors.ts'
import type { CommitResult, LeafStore } from './leaf-store.ts'

/** What the thread is started with. */
export interface LeafWorkerData {
  /** leaf.db */
  readonly path: string
  /** Dead letters kept for each rollup. */
  readonly deadLettersMax: number
}

/** Methods that answer a call; commits have their own ports. */
export type LeafMethod = Exclude<keyof LeafStore, 'commit'>

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

/** What became of the batch. */
export type BatchOutcome = CommitResult['batches'][number]

export type Answer<Result> =
  | { readonly kind: 'result'; readonly call: number; readonly result: Result }
  | { readonly kind: 'error'; readonly call: number; readonly error: ErrorMessage }

/** A RollupdError between threads: its class doesn't survive a structured clone. */
export interface ErrorMessage {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
  readonly position: number | undefined
  readonly detail: unknown
}

/** Anything that isn't a RollupdError is thrown again: it ends the thread, and with it the process (law 10). */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof RollupdError)) throw error
  const { code, message, hint, position, detail } = error
  return { code, message, hint, position, detail }
}

export function fromErrorMessage({ code, message, hint, position, detail }: ErrorMessage): RollupdError {
  return new RollupdError(code, message, { hint, position, detail })
}
