import { expect, test } from 'vitest'
import { JSON_KIND, JSON_OUTCOME, type JsonPath } from '../../src/core/json-field.ts'
import { JsonFieldReader } from '../../src/records/json-field-reader.ts'
import { fuzzJsonReader } from '../fuzz/json-reader-fuzz.ts'

const KIND_NAMES = Object.keys(JSON_KIND)

/** What each path finds, as `KIND text`. */
function readAll(paths: readonly JsonPath[], text: string | Uint8Array, reader = new JsonFieldReader(paths)): string[] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  expect(reader.read(bytes, 0, bytes.length)).toBe(JSON_OUTCOME.OK)
  return paths.map((_, index) => {
    const name = KIND_NAMES[reader.kind[index]!]!
    if (name === 'MISSING') return name
    return `${name} ${Buffer.from(bytes.subarray(reader.start[index], reader.end[index])).toString('latin1')}`
  })
}

function refuse(text: string | Uint8Array): [outcome: number, errorOffset: number] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const reader = new JsonFieldReader([['a']])
  return [reader.read(bytes, 0, bytes.length), reader.errorOffset]
}

test('finds every kind of value', () => {
  const document =
    '{"n":null,"f":false,"t":true,"i":-12,"d":1.50,"e":1e3,"s":"text","u":"é","x":"a\\n","l":[1, 2],"o":{ "k" : 1 },"m":""}'
  const paths = [...'nftidesuxlomz'].map((name) => [name])
  expect(readAll(paths, document)).toEqual([
    'NULL null',
    'FALSE false',
    'TRUE true',
    'INTEGER -12',
    'DECIMAL 1.50',
    'DECIMAL 1e3',
    'STRING text',
    'STRING_UTF8 Ã©',
    'STRING_ESCAPED a\\n',
    'ARRAY [1, 2]',
    'OBJECT { "k" : 1 }',
    'STRING ',
    'MISSING',
  ])
})

test('finds nested members and elements, also where one path begins another', () => {
  const paths = [['a'], ['a', 'b'], ['a', 'b', 1], ['a', 'b', 1, 'c'], ['l', 0], ['l', 2], ['a', 'b']]
  expect(readAll(paths, '{"l":[[1],2,"x",4],"a":{"z":{"b":0},"b":[0,{"c":true}]}}')).toEqual([
    'OBJECT {"z":{"b":0},"b":[0,{"c":true}]}',
    'ARRAY [0,{"c":true}]',
    'OBJECT {"c":true}',
    'TRUE true',
    'ARRAY [1]',
    'STRING x',
    'ARRAY [0,{"c":true}]',
  ])
})

test('an index finds nothing in an object, a key nothing in an array', () => {
  expect(
    readAll(
      [
        ['a', 0],
        ['b', '0'],
      ],
      '{"a":{"0":1},"b":[1]}',
    ),
  ).toEqual(['MISSING', 'MISSING'])
})

test.for([
  ['{"a":1,"a":2}', ['INTEGER 2', 'MISSING']],
  ['{"a":{"b":1},"a":5}', ['INTEGER 5', 'MISSING']],
  ['{"a":{"b":1},"a":{}}', ['OBJECT {}', 'MISSING']],
  ['{"a":5,"a":{"b":1,"b":2}}', ['OBJECT {"b":1,"b":2}', 'INTEGER 2']],
  ['{"a":{"b":1},"\\u0061":[]}', ['ARRAY []', 'MISSING']],
] as const)('of duplicate keys the last one holds: %s', ([document, found]) => {
  expect(readAll([['a'], ['a', 'b']], document)).toEqual(found)
})

test('keys are compared as text, whatever their spelling and name', () => {
  const paths = [['é'], ['a"b'], ['__proto__'], ['constructor', 'name'], ['\u{1f600}'], ['']]
  const document = '{"\\u00e9":1,"a\\"b":2,"__proto__":3,"constructor":{"name":4},"\\ud83d\\uDE00":5,"":6}'
  expect(readAll(paths, document)).toEqual([
    'INTEGER 1',
    'INTEGER 2',
    'INTEGER 3',
    'INTEGER 4',
    'INTEGER 5',
    'INTEGER 6',
  ])
})

test('what was learned of the order of keys is never trusted', () => {
  const paths = [['a'], ['b']]
  const reader = new JsonFieldReader(paths)
  const padding = ' '.repeat(20)
  const documents = [
    '{"a":1,"b":2}',
    '{"b":1,"a":2}',
    '{"a": 1,"b" :2}',
    '{"a":1}',
    '{"ab":1,"b":3}',
    '{}',
    '{"a":\n7,"b":2}',
  ]
  const seen = documents.map((document) => readAll(paths, document + padding, reader))
  expect(seen).toEqual([
    ['INTEGER 1', 'INTEGER 2'],
    ['INTEGER 2', 'INTEGER 1'],
    ['INTEGER 1', 'INTEGER 2'],
    ['INTEGER 1', 'MISSING'],
    ['MISSING', 'INTEGER 3'],
    ['MISSING', 'MISSING'],
    ['INTEGER 7', 'INTEGER 2'],
  ])
})

test('a remembered text never stands in for a comma', () => {
  const reader = new JsonFieldReader([['a'], ['b']])
  const readText = (text: string) => reader.read(Buffer.from(text + ' '.repeat(20)), 0, text.length)
  for (let index = 0; index < 500; index++) {
    expect(readText(`{"a":1,"b":2,"key${index}":3,"a":4}`)).toBe(JSON_OUTCOME.OK)
    expect(readText(`{"key${index}":1,"b":2}`)).toBe(JSON_OUTCOME.OK)
    for (const document of [
      `{,"b":2}`,
      `{,"key${index}":3}`,
      `{"a":1"b":2}`,
      `{"b":2"key${index}":3}`,
      `{"a":1,,"b":2}`,
    ]) {
      expect(readText(document)).toBe(JSON_OUTCOME.INVALID_JSON)
    }
  }
})

test('more members than are remembered, and longer keys', () => {
  const names = Array.from({ length: 300 }, (_, index) => `key${'y'.repeat(index % 90)}${index}`)
  const document = JSON.stringify(Object.fromEntries(names.map((name, index) => [name, index])))
  const paths = names.map((name) => [name])
  const reader = new JsonFieldReader(paths)
  for (let round = 0; round < 2; round++) {
    expect(readAll(paths, document + ' '.repeat(16), reader)).toEqual(names.map((_, index) => `INTEGER ${index}`))
  }
})

test.for([
  ['{', 1],
  ['{"a"}', 4],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['{,"a":1}', 1],
  ['{"a":1 "b":2}', 7],
  ['{"a":01}', 6],
  ['{"a":-}', 6],
  ['{"a":+1}', 5],
  ['{"a":.5}', 5],
  ['{"a":1.}', 7],
  ['{"a":1e}', 7],
  ['{"a":NaN}', 5],
  ['{"a":tru}', 5],
  ['{"a":trueish}', 9],
  ["{'a':1}", 1],
  ['{"a":"\\x"}', 6],
  ['{"a":"\\u12g4"}', 6],
  ['{"a":"\n"}', 6],
  ['{"a":"\u0000"}', 6],
  ['{"a":"b}', 8],
  ['{"a":[1,]}', 8],
  ['{"a":[1}', 7],
  ['{"a":{"b":[}}', 11],
  ['{"a":1}}', 7],
  ['{"a":1} x', 8],
  ['\ufeff{"a":1}', 0],
  ['\u00a0{}', 0],
  ['// {}', 0],
  [' ', 1],
  ['nul', 0],
  ['1 2', 2],
] as const)('refuses %j', ([document, at]) => {
  expect(refuse(document)).toEqual([JSON_OUTCOME.INVALID_JSON, at])
})

test('a document that is no object, and none at all', () => {
  for (const document of ['[]', '1', '-0.5e3', '"{}"', 'null', ' true\n', '[{"a":1}]']) {
    expect(refuse(document)[0]).toBe(JSON_OUTCOME.NOT_OBJECT)
  }
  expect(refuse('')[0]).toBe(JSON_OUTCOME.EMPTY)
})

test('a number that its document cuts off is refused there, though digits follow up to the end of the buffer', () => {
  const bytes = new Uint8Array(100).fill(0x30)
  for (const document of ['{"a":1', '{"a":-', '{"a":1.', '{"a":1.5', '{"a":1e', '{"a":1e+', '{"b":12345', '{"a":[1']) {
    bytes.set(Buffer.from(document))
    const reader = new JsonFieldReader([['a']])
    expect(reader.read(bytes, 0, document.length)).toBe(JSON_OUTCOME.INVALID_JSON)
    expect(reader.errorOffset).toBe(document.length)
    bytes.fill(0x30)
  }
})

test('512 containers inside each other are read, 513 refused, and deeper ones cost nothing', () => {
  const nest = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
  const nestArrays = (depth: number) => `{"b":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const paths = [Array.from({ length: 600 }, () => 'a')]
  for (const make of [nest, nestArrays]) {
    for (const [depth, outcome] of [
      [512, JSON_OUTCOME.OK],
      [513, JSON_OUTCOME.TOO_DEEP],
      [100_000, JSON_OUTCOME.TOO_DEEP],
    ] as const) {
      const bytes = Buffer.from(make(depth))
      expect(new JsonFieldReader(paths).read(bytes, 0, bytes.length)).toBe(outcome)
      expect(new JsonFieldReader([['x']]).read(bytes, 0, bytes.length)).toBe(outcome)
    }
  }
})

test('invalid UTF-8 in a string is accepted and its kind says that it is unchecked', () => {
  const bytes = Buffer.from([...Buffer.from('{"a":"x'), 0xff, 0xfe, ...Buffer.from('","b":1}')])
  expect(readAll([['a'], ['b']], bytes)).toEqual(['STRING_UTF8 x\u00ff\u00fe', 'INTEGER 1'])
})

test('agrees with JSON.parse on random and damaged documents', () => {
  const runs = Number(process.env['FUZZ_RUNS'] ?? 20_000)
  expect(fuzzJsonReader(runs, Number(process.env['FUZZ_SEED'] ?? 1))).toBe(runs)
}, 600_000)
