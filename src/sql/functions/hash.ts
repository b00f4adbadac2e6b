/** Owns hashes: md5, the SHA-2 family and crc32 of texts, and hash64 of any value. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { hashKey, HASH_BYTES } from '../../core/murmur3.ts'
import type { Registers } from '../../core/registers.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { failsBeyond, isText, setString } from './argument.ts'
import { toUndeclaredText } from './casts.ts'
import { isJsonType } from './json-value.ts'
import { areTexts, resolveTexts, textEntry } from './text-argument.ts'

type HashName = 'md5' | 'sha224' | 'sha256' | 'sha384' | 'sha512'

function hashEntry(name: HashName, summary: string): FunctionEntry {
  const evaluate: Evaluate = (r, out, a) => {
    if (areTexts(r, out, name, a)) setString(r, out, hash(name, r.bytesOf(a), 'hex'))
  }
  return textEntry(name, evaluate, { summary, example: `${name}(user_id)` })
}

const HALF = 2 ** 32

/** The value is non-negative, so that % gives buckets. */
function hash64(): Evaluate {
  const digest = new Uint8Array(HASH_BYTES)
  const view = new DataView(digest.buffer)
  return (r, out, a) => {
    if (isText(r, a)) setHash(r, out, a)
    else {
      toUndeclaredText(r, out, a, -1, -1, -1)
      // an array or object may hold what has no text
      if (isText(r, out)) setHash(r, out, out)
    }
  }

  function setHash(r: Registers, out: number, text: number): void {
    hashKey(r.ref[text] as Uint8Array, r.num[text] as number, r.end[text] as number, digest, 0)
    // shifted by the bit that would be the sign
    const high = view.getUint32(0)
    const low = ((high & 1) * HALF + view.getUint32(4)) / 2
    r.setBigInteger(out, BigInt(high >>> 1) * BigInt(HALF) + BigInt(Math.floor(low)))
  }
}

export const HASH_FUNCTIONS: readonly FunctionEntry[] = [
  hashEntry('md5', "The MD5 hash of the text's UTF-8, 32 hexadecimal digits."),
  hashEntry('sha224', "The SHA-224 hash of the text's UTF-8, 56 hexadecimal digits."),
  hashEntry('sha256', "The SHA-256 hash of the text's UTF-8, 64 hexadecimal digits."),
  hashEntry('sha384', "The SHA-384 hash of the text's UTF-8, 96 hexadecimal digits."),
  hashEntry('sha512', "The SHA-512 hash of the text's UTF-8, 128 hexadecimal digits."),
  {
    id: 'crc32',
    name: 'crc32',
    form: 'function',
    resolve: resolveTexts([1], 'bigint'),
    signature: 'crc32(text)',
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: (r, out, a) => {
      if (areTexts(r, out, 'crc32', a)) r.setInteger(out, crc32(r.bytesOf(a)))
    },
    doc: { summary: "The CRC-32 of the text's UTF-8.", example: 'crc32(user_id)' },
  },
  {
    id: 'hash64',
    name: 'hash64',
    form: 'function',
    resolve: ([type, further]) =>
      type !== undefined && type !== 'unknown' && further === undefined ? 'bigint' : undefined,
    signature: 'hash64(value)',
    strict: true,
    canFail: (args) => args.some(isJsonType),
    evaluate: hash64(),
    doc: {
      summary:
        "A whole number from 0 to 2^63 - 1, for samples and buckets: the first 64 bits of MurmurHash3 (x64, 128 bits, seed 0) of the value's text in UTF-8, without the last one.",
      example: 'hash64(user_id) % 100',
    },
  },
]
