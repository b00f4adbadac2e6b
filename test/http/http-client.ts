/** Sends requests as they are, well formed or not, and reads answers whatever their status. */

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined where the text isn't JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it where they know its shape
  readonly json: any
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

export const NDJSON = { 'content-type': 'application/x-ndjson' }
export const JSON_TYPE = { 'content-type': 'application/json' }

/** A text or bytes are sent as they are (with the headers given), anything else as JSON. */
export function createSend(url: string, token?: string): Send {
  return async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(isRaw ? {} : JSON_TYPE),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parse(text) }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
