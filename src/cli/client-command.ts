/** Owns what the commands that talk to a service have in common. */
import { type Command, InvalidArgumentError } from 'commander'
import { ApiClient } from './api-client.ts'

export interface ClientFlags {
  readonly url: string
  readonly json?: boolean
}

export interface Output {
  write(text: string): void
}

/** A command with the options that all of them have. */
export type AddCommand = (name: string, description: string, example?: string) => Command

export function clientOf(flags: ClientFlags): ApiClient {
  return new ApiClient({ url: flags.url, token: process.env['ROLLUPD_TOKEN'] })
}

/** Errors: commander's own, which ends with the code of wrong usage. */
export function toNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new InvalidArgumentError('It takes a whole number.')
}

/** `start` of a source, as a word of the command line: earliest, latest, or a time. */
export function toStart(text: string): string | { readonly timestamp: string } {
  return text === 'earliest' || text === 'latest' ? text : { timestamp: text }
}
