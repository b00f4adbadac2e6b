/** Owns hashes of texts: md5, sha256, as hexadecimal digits. */
import { hash } from 'node:crypto'
import type { FunctionEntry } from '../function-entry.ts'
import { failsBeyond, setString } from './argument.ts'
import { areTexts, resolveTexts } from './text-argument.ts'

function hashEntry(name: 'md5' | 'sha256', summary: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1], 'text'),
    signature: `${name}(text)`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: (r, out, a) => {
      if (areTexts(r, out, name, a)) setString(r, out, hash(name, r.bytesOf(a), 'hex'))
    },
    doc: { summary, example: `${name}(user_id)` },
  }
}

export const HASH_FUNCTIONS: readonly FunctionEntry[] = [
  hashEntry('md5', "The MD5 hash of the text's UTF-8, 32 hexadecimal digits."),
  hashEntry('sha256', "The SHA-256 hash of the text's UTF-8, 64 hexadecimal digits."),
]
