import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isValidUtf8, UNESCAPE_ERROR, unescapeString } from '../../src/core/json-string.ts'

/** The text of a string's content, or the error's name. */
function unescape(content: string): string {
  const bytes = Buffer.from(`xx${content}xx`)
  const into = new Uint8Array(bytes.length)
  const length = unescapeString(bytes, 2, bytes.length - 2, into, 3)
  if (length >= 0) return Buffer.from(into.subarray(3, 3 + length)).toString()
  return Object.entries(UNESCAPE_ERROR).find(([, code]) => code === length)![0]
}

test.for([
  ['', ''],
  ['plain \u00e9', 'plain \u00e9'],
  ['\\"\\\\\\/\\b\\f\\n\\r\\t', '"\\/\b\f\n\r\t'],
  ['\\u0041\\u00e9\\u20ac\\uFFFF', 'A\u00e9\u20ac\uffff'],
  ['\\ud83d\\ude00!', '\u{1f600}!'],
  ['\\uDBFF\\uDFFF', '\u{10ffff}'],
  ['a\\u0000', 'NUL'],
  ['\\ud83d', 'LONE_SURROGATE'],
  ['\\ud83dx', 'LONE_SURROGATE'],
  ['\\ud83d\\n', 'LONE_SURROGATE'],
  ['\\ud83d\\u0041', 'LONE_SURROGATE'],
  ['\\ude00\\ud83d', 'LONE_SURROGATE'],
  ['\\ud83d\\ue000', 'LONE_SURROGATE'],
  ['\\ud83d\\ud83d\\ude00', 'LONE_SURROGATE'],
  ['\\x', 'MALFORMED'],
  ['\\u00g0', 'MALFORMED'],
  ['\\u00', 'MALFORMED'],
] as const)('%j becomes %j', ([content, text]) => {
  expect(unescape(content)).toBe(text)
})

test('any text is found again from its JSON form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const expected = text.includes('\u0000') ? 'NUL' : text
      expect(unescape(JSON.stringify(text).slice(1, -1))).toBe(expected)
    }),
  )
})

function isOracleUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

test('UTF-8 is judged as the WHATWG decoder does, at every lead and second byte', () => {
  const wrong: string[] = []
  for (let lead = 0; lead < 256; lead++) {
    for (let second = 0; second < 256; second += lead < 0xc0 ? 51 : 1) {
      for (const rest of [[], [0x80], [0x80, 0x80], [0xbf, 0xbf, 0x41], [0x41], [0x80, 0xc0]]) {
        const bytes = Uint8Array.of(0x41, lead, second, ...rest)
        if (isValidUtf8(bytes, 0, bytes.length) !== isOracleUtf8(bytes)) wrong.push(Buffer.from(bytes).toString('hex'))
      }
    }
  }
  expect(wrong).toEqual([])
})

test('a character that is cut by the end is no UTF-8', () => {
  const bytes = Buffer.from('a\u{1f600}')
  for (let end = 1; end <= bytes.length; end++)
    expect(isValidUtf8(bytes, 0, end)).toBe(end === 1 || end === bytes.length)
})
