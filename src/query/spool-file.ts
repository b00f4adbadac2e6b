/**
 * Owns the bytes of one answer while it is written: in memory while it is small, else in a file, so that neither memory nor the
 * transaction depends on how fast a client reads.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { RollupdError } from '../core/errors.ts'
import type { AnswerBody } from './query-request.ts'

/** Up to this size an answer travels in the message between the processes; above, copying it through the pipe costs more than a file. */
const INLINE_BYTES_MAX = 256 * 1024
/** Bytes gathered before a write. */
const BUFFER_BYTES = INLINE_BYTES_MAX
/** The disk, a quota, or the largest file that the system allows. */
const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export class SpoolFile {
  readonly #directory: string
  readonly #name: string
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #used = 0
  #written = 0
  #file: { readonly descriptor: number; readonly path: string } | undefined

  /** `name` is unique in the directory. */
  constructor(directory: string, name: string) {
    this.#directory = directory
    this.#name = name
  }

  get byteLength(): number {
    return this.#written + this.#used
  }

  /** Errors: disk_full. */
  append(text: string): void {
    const bytes = Buffer.byteLength(text, 'utf8')
    if (this.#used + bytes > this.#buffer.length) this.#flush()
    if (bytes > this.#buffer.length) {
      this.#writeOut(Buffer.from(text, 'utf8'))
      return
    }
    this.#used += this.#buffer.write(text, this.#used, 'utf8')
  }

  /** Errors: disk_full. */
  finish(): AnswerBody {
    if (this.#file === undefined) return { bytes: this.#buffer.subarray(0, this.#used) }
    this.#flush()
    closeSync(this.#file.descriptor)
    return { path: this.#file.path, byteLength: this.#written }
  }

  /** Removes what was written: the query failed. */
  discard(): void {
    if (this.#file === undefined) return
    closeSync(this.#file.descriptor)
    rmSync(this.#file.path, { force: true })
  }

  #flush(): void {
    this.#writeOut(this.#buffer.subarray(0, this.#used))
    this.#used = 0
  }

  #writeOut(bytes: Uint8Array): void {
    try {
      this.#file ??= this.#create()
      let from = 0
      while (from < bytes.length) from += writeSync(this.#file.descriptor, bytes, from)
    } catch (error) {
      throw toSpoolError(error)
    }
    this.#written += bytes.length
  }

  #create(): { descriptor: number; path: string } {
    const path = join(this.#directory, this.#name)
    return { descriptor: openSync(path, 'wx', 0o600), path }
  }
}

function toSpoolError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined || !FULL_CODES.has(code)) return error
  return new RollupdError('disk_full', `no room for the answer on the disk of the data directory: ${message}`, {
    hint: 'Make room there, or ask for fewer rows.',
    cause: error,
  })
}
