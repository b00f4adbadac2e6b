/** Owns the command line's calls of a running rollupd. */
import { type ErrorCode, ERROR_CODES, RollupdError } from '../core/errors.ts'

export interface ApiClientOptions {
  /** http://127.0.0.1:8090 */
  readonly url: string
  readonly token: string | undefined
}

export class ApiClient {
  readonly #options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.#options = options
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
    const { url, token } = this.#options
    const headers: Record<string, string> = {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
    let response: Response
    try {
      response = await fetch(new URL(path, url), { method, headers, ...(body === undefined ? {} : { body }) })
    } catch (cause) {
      throw new RollupdError('server_away', `no rollupd answers at ${url}`, {
        hint: 'Start one with "rollupd serve", or name its address with --url or ROLLUPD_URL.',
        cause,
      })
    }
    const text = await response.text()
    if (!response.ok) throw toError(response.status, text)
    return text
  }
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

function toError(status: number, text: string): RollupdError {
  let body: ErrorBody = {}
  try {
    body = JSON.parse(text) as ErrorBody
  } catch {
    // not one of rollupd's answers: shown as it is
  }
  const { error } = body
  if (error === undefined)
    return new RollupdError('query_failed', `the server answered ${status}: ${text.slice(0, 300)}`)
  const code: ErrorCode = error.code in ERROR_CODES ? (error.code as ErrorCode) : 'internal'
  return new RollupdError(code, error.message, { hint: error.hint, position: error.position, detail: error.detail })
}
