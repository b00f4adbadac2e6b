/** Parts of URLs: a table, and the language's own URL as the oracle of well-formed ones. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answer, call } from './call.ts'

const PARTS = ['scheme', 'host', 'port', 'path', 'query', 'fragment'] as const

function partsOf(url: string): Answer[] {
  return PARTS.map((part) => call('function', `url_${part}`, url))
}

test.each<[string, Answer[]]>([
  ['https://user:pa@ss@Example.com:8080/a/b;c?x=1&y#top?x', ['https', 'Example.com', 8080, '/a/b;c', 'x=1&y', 'top?x']],
  ['http://example.com', ['http', 'example.com', null, '', null, null]],
  ['http://example.com:/', ['http', 'example.com', null, '/', null, null]],
  ['http://example.com:99999/', ['http', 'example.com', null, '/', null, null]],
  ['http://example.com:8x/', ['http', 'example.com', null, '/', null, null]],
  ['http://[::1]:65535/x', ['http', '[::1]', 65_535, '/x', null, null]],
  ['http://[::1', ['http', '[', null, '', null, null]],
  ['//cdn.example/x?#', [null, 'cdn.example', null, '/x', '', '']],
  ['/only/path?q', [null, null, null, '/only/path', 'q', null]],
  ['mailto:a@b.de', ['mailto', null, null, 'a@b.de', null, null]],
  ['file:///etc/hosts', ['file', null, null, '/etc/hosts', null, null]],
  ['1a:b', [null, null, null, '1a:b', null, null]],
  ['?a=b', [null, null, null, '', 'a=b', null]],
  ['https://bücher.example/straße?q=ü', ['https', 'bücher.example', null, '/straße', 'q=ü', null]],
  ['', [null, null, null, '', null, null]],
])('the parts of %s', (url, parts) => {
  expect(partsOf(url)).toEqual(parts)
})

test.each<[string, string, Answer]>([
  ['http://x/?a=1&b=2&a=3', 'a', '1'],
  ['http://x/?a=1&b=2', 'c', null],
  ['http://x/', 'a', null],
  ['http://x/?a', 'a', ''],
  ['http://x/?a=', 'a', ''],
  ['http://x/?a=b=c#a=d', 'a', 'b=c'],
  ['?utm%5Fsource=n%C3%A4chste+Woche%21', 'utm_source', 'nächste Woche!'],
  ['?x=%ff', 'x', '%ff'],
  ['?x=%00', 'x', '%00'],
  ['?x=%zz%4', 'x', '%zz%4'],
  ['?&=1&a=2', 'a', '2'],
  ['?=1', '', '1'],
])('url_parameter of %s, %s', (url, name, value) => {
  expect(call('function', 'url_parameter', url, name)).toBe(value)
})

const words = fc.string({
  unit: fc.constantFrom('a', 'Z', '9', '-', 'é', '😀', ' ', '%', '&', '=', '+', '/'),
  maxLength: 6,
})

test('well-formed ones as the language cuts them', () => {
  const names = fc.stringMatching(/^[a-z][a-z0-9]{0,5}(\.[a-z]{2,3})?$/)
  const pairs = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), words), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(names, fc.option(fc.integer({ min: 1, max: 65_535 })), words, pairs, (name, port, path, given) => {
      const query = new URLSearchParams(given)
      const url = new URL(
        `ftpx://${name}${port === null ? '' : `:${port}`}/${encodeURIComponent(path)}?${query.toString()}#f`,
      )
      expect(partsOf(url.href)).toEqual([
        ...[url.protocol.slice(0, -1), url.hostname, url.port === '' ? null : Number(url.port)],
        ...[url.pathname, url.search.slice(1), 'f'],
      ])
      for (const [key] of given) expect(call('function', 'url_parameter', url.href, key)).toBe(query.get(key))
    }),
  )
})

test('url_encode and url_decode are inverse, and encode as the language does', () => {
  fc.assert(
    fc.property(words, (text) => {
      const encoded = call('function', 'url_encode', text) as string
      expect(decodeURIComponent(encoded)).toBe(text)
      expect(encoded).toMatch(/^[A-Za-z0-9._~%-]*$/)
      expect(call('function', 'url_decode', encoded)).toBe(text)
    }),
  )
  expect(call('function', 'url_decode', 'a+b%2')).toBe('a+b%2')
  expect(call('function', 'url_decode', '%e4%20')).toBe('%e4%20')
})

/** Where it is small enough the answer is a number. */
function hashOf(text: string): bigint {
  return BigInt(call('function', 'hash64', text) as number | bigint)
}

test('hash64: the first bits of MurmurHash3, never negative, equal for equal values', () => {
  expect(call('function', 'hash64', 'abc')).toBe(0xb4963f3f3fad7867n >> 1n)
  expect(call('function', 'hash64', 3)).toBe(call('function', 'hash64', { double: 3 }))
  expect(call('function', 'hash64', 3)).toBe(call('function', 'hash64', '3'))
  expect(call('function', 'hash64', { json: '{"b":1,"a":2}' })).toBe(
    call('function', 'hash64', { json: '{"a":2.0, "b":1}' }),
  )
  fc.assert(
    fc.property(
      fc.string({ maxLength: 40 }).filter((text) => text.isWellFormed()),
      (text) => {
        const hash = hashOf(text)
        expect(hash >= 0n && hash < 2n ** 63n).toBe(true)
      },
    ),
  )
  const buckets = Array.from({ length: 10_000 }, (_, index) => Number(hashOf(`user-${index}`) % 10n))
  for (const bucket of [0, 1, 9])
    expect(Math.abs(buckets.filter((one) => one === bucket).length - 1_000)).toBeLessThan(150)
})
