/** Owns the naive evaluator's parts of URLs, by the regular expression of RFC 3986, appendix B, and hash64 by big integers. */
import { strict, textOf, toText, type NaiveFunction } from './naive-call.ts'
import type { Value } from './value.ts'

interface Parts {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

function partsOf(url: string): Parts {
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/.exec(url)
  const [, scheme, authority, path = '', query, fragment] = match ?? []
  return { scheme, authority, path, query, fragment }
}

function hostAndPort(authority: string | undefined): RegExpExecArray | null {
  const behindUser = authority?.slice(authority.lastIndexOf('@') + 1)
  return behindUser === undefined ? null : /^(\[[^\]]*\]|[^:]*)([^]*)$/.exec(behindUser)
}

function part(take: (parts: Parts) => Value | undefined): NaiveFunction {
  return strict(([url]) => take(partsOf(textOf(url))) ?? null)
}

function portOf(text: string | undefined): bigint | undefined {
  const digits = /^:([0-9]+)$/.exec(text ?? '')?.[1]
  return digits === undefined || BigInt(digits) > 65_535n ? undefined : BigInt(digits)
}

/** Escapes that make no UTF-8 leave the text as it is. */
function decode(text: string, plusIsSpace: boolean): string {
  const spaced = plusIsSpace ? text.replaceAll('+', ' ') : text
  const bytes = Buffer.from(spaced, 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
    return decoded.includes('\u0000') ? text : decoded
  } catch {
    return text
  }
}

function parameterOf(query: string | undefined, name: string): string | undefined {
  const pairs = (query ?? '').split('&').filter((pair) => pair !== '')
  const found = pairs.find((pair) => decode(pair.replace(/=[^]*/, ''), true) === name)
  return found === undefined ? undefined : found.includes('=') ? decode(found.replace(/^[^=]*=/, ''), true) : ''
}

function encode(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[a-zA-Z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

const MASK = 2n ** 64n - 1n
const rotate = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & MASK
const mix = (value: bigint): bigint => {
  let k = value
  k = ((k ^ (k >> 33n)) * 0xff51afd7ed558ccdn) & MASK
  k = ((k ^ (k >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK
  return k ^ (k >> 33n)
}

/** The first half of MurmurHash3 x64 128 with seed 0, as its authors wrote it down. */
function murmur(bytes: Buffer): bigint {
  const [c1, c2] = [0x87c37b91114253d5n, 0x4cf5ad432745937fn]
  let [h1, h2] = [0n, 0n]
  const whole = bytes.length - (bytes.length % 16)
  const lane1 = (k: bigint): bigint => (rotate((k * c1) & MASK, 31n) * c2) & MASK
  const lane2 = (k: bigint): bigint => (rotate((k * c2) & MASK, 33n) * c1) & MASK
  for (let at = 0; at < whole; at += 16) {
    h1 = (rotate(h1 ^ lane1(bytes.readBigUInt64LE(at)), 27n) + h2) & MASK
    h1 = (h1 * 5n + 0x52dce729n) & MASK
    h2 = (rotate(h2 ^ lane2(bytes.readBigUInt64LE(at + 8)), 31n) + h1) & MASK
    h2 = (h2 * 5n + 0x38495ab5n) & MASK
  }
  const tail = Buffer.alloc(16)
  bytes.copy(tail, 0, whole)
  h2 ^= lane2(tail.readBigUInt64LE(8)) ^ BigInt(bytes.length)
  h1 ^= lane1(tail.readBigUInt64LE(0)) ^ BigInt(bytes.length)
  h1 = (h1 + h2) & MASK
  h2 = (h2 + h1) & MASK
  return (mix(h1) + mix(h2)) & MASK
}

export const NAIVE_URLS: Readonly<Record<string, NaiveFunction>> = {
  url_scheme: part(({ scheme }) => scheme),
  url_host: part(({ authority }) => hostAndPort(authority)?.[1] || undefined),
  url_port: part(({ authority }) => portOf(hostAndPort(authority)?.[2])),
  url_path: part(({ path }) => path),
  url_query: part(({ query }) => query),
  url_fragment: part(({ fragment }) => fragment),
  url_parameter: strict(([url, name]) => {
    const wanted = textOf(name)
    return parameterOf(partsOf(textOf(url)).query, wanted) ?? null
  }),
  url_decode: strict(([text]) => decode(textOf(text), false)),
  url_encode: strict(([text]) => encode(textOf(text))),
  hash64: strict(([value = null], _, [type]) => {
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    return murmur(Buffer.from(toText(value, isNumber ? 'any' : type === 'jsonb' ? 'any' : type), 'utf8')) >> 1n
  }),
}
