/** Owns the command line's calls of a running rollupd. */
import { type ErrorCode, ERROR_CODES, RollupdError } from '../core/errors.ts'
import { COMMAND_NAME } from './command-name.ts'

/** Of an answer that isn't rollupd's. */
const FOREIGN_CHARACTERS_MAX = 100

export interface ApiClientOptions {
  /** http://127.0.0.1:8090, or without its scheme */
  readonly url: string
  readonly token: string | undefined
}

export class ApiClient {
  readonly #url: string
  readonly #token: string | undefined

  /** Errors: config_invalid for what is no address. */
  constructor({ url, token }: ApiClientOptions) {
    this.#url = url.includes('://') ? url : `http://${url}`
    this.#token = token
    if (URL.canParse(this.#url) && /^https?:$/.test(new URL(this.#url).protocol)) return
    throw new RollupdError('config_invalid', `"${url}" is not the address of a rollupd`, {
      hint: 'Write it like http://127.0.0.1:8090 (option --url, variable ROLLUPD_URL).',
    })
  }

  /** The answer's text. Errors: server_away, and whatever the server says. */
  async call(method: string, path: string, body?: unknown): Promise<string> {
    const json = body === undefined ? undefined : JSON.stringify(body)
    return await this.#send(method, path, json, 'application/json')
  }

  async callJson<T>(method: string, path: string, body?: unknown): Promise<T> {
    return JSON.parse(await this.call(method, path, body)) as T
  }

  async postLines(path: string, lines: Uint8Array): Promise<string> {
    return await this.#send('POST', path, lines, 'application/x-ndjson')
  }

  async #send(method: string, path: string, body: string | Uint8Array | undefined, type: string): Promise<string> {
    const headers: Record<string, string> = {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
    }
    let response: Response
    let text: string
    try {
      response = await fetch(new URL(path, this.#url), { method, headers, ...(body === undefined ? {} : { body }) })
      text = await response.text()
    } catch (cause) {
      throw new RollupdError('server_away', `no rollupd answers at ${this.#url}${reasonOf(cause)}`, {
        hint: `Start one with "${COMMAND_NAME} serve", or name its address with --url or ROLLUPD_URL.`,
        cause,
      })
    }
    const contentType = response.headers.get('content-type') ?? ''
    if (text !== '' && !contentType.startsWith('application/json')) throw this.#foreign(response.status, text)
    if (!response.ok) throw toError(text) ?? this.#foreign(response.status, text)
    return text
  }

  #foreign(status: number, text: string): RollupdError {
    const start = text.replaceAll(/\s+/g, ' ').slice(0, FOREIGN_CHARACTERS_MAX)
    return new RollupdError('server_away', `what answers at ${this.#url} is not rollupd: ${status} ${start}`, {
      hint: 'Name the address of rollupd with --url or ROLLUPD_URL.',
    })
  }
}

/** ECONNREFUSED and the like, where there is one. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: NodeJS.ErrnoException }
  const reason = cause?.code ?? cause?.message ?? ''
  return reason === '' ? '' : ` (${reason})`
}

interface ErrorBody {
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly hint?: string
    readonly position?: number
    readonly detail?: unknown
  }
}

/** Undefined: not one of rollupd's answers. */
function toError(text: string): RollupdError | undefined {
  let body: ErrorBody
  try {
    body = JSON.parse(text) as ErrorBody
  } catch {
    return undefined
  }
  const { error } = body
  if (error === undefined) return undefined
  const code: ErrorCode = error.code in ERROR_CODES ? (error.code as ErrorCode) : 'internal'
  return new RollupdError(code, error.message, { hint: error.hint, position: error.position, detail: error.detail })
}
