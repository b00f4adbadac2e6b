import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readDevConfig } from '../../tools/up/dev-config.ts'

function readText(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'rollupd-dev-config-'))
  try {
    writeFileSync(join(folder, 'dev.yml'), text)
    return readDevConfig(join(folder, 'dev.yml'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test("the checkout's dev.yml can be read and has a default profile", () => {
  const config = readDevConfig(join(dirname(dirname(import.meta.dirname)), 'dev.yml'))
  expect(config.profiles.get('default')).toEqual(['rollupd', 'generator'])
  expect(config.profiles.get('kafka')).toEqual(['kafka', 'rollupd', 'generator'])
})

test('what is left out has a default', () => {
  expect(readText('profiles: {a: [rollupd]}')).toMatchObject({
    kafka: { port: 0 },
    rollupd: { port: 0 },
    generator: { topic: 'page_views', partitions: 1, recordsPerSecond: 1000 },
  })
})

test.for([
  ['profiles: {a: [rolupd]}', 'profile "a" has the part "rolupd"'],
  ['profiles: {a: [kafka, kafka]}', 'profile "a" names a part twice'],
  ['profiles: {a: []}', 'profile "a" is not a list of parts'],
  ['profiles: [a]', '"profiles" is not a mapping'],
  ['profile: {a: [kafka]}', '"profile" is neither "profiles" nor a part'],
  ['profiles: {a: [kafka]}\nkafka: {port: 70000}', '"port" is 70000, not a whole number from 0 to 65535'],
  ['profiles: {a: [kafka]}\ngenerator: {topic: 7}', '"topic" is 7, not a name'],
  ['profiles: {a: [kafka', "can't read"],
] as const)('%s is refused: %s', ([text, message]) => {
  expect(() => readText(text)).toThrow(message)
})
