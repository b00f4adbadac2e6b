/** The examples in the documents answer what stands below them; those of one document share a leaf. Written anew with SLT_UPDATE=1. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testSltBlocks } from '../query/slt-blocks.ts'
import { readSltText, updateSltText } from '../support/slt-file.ts'
import { CHECKOUT, readDocument } from './markdown.ts'

const EXAMPLE = /(?<=^```slt\n).*?(?=^```$)/gms

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

for (const name of readdirSync(join(CHECKOUT, 'docs')).filter((file) => file.endsWith('.md'))) {
  const file = `docs/${name}`
  const document = readDocument(file)
  const blocks = [...document.matchAll(EXAMPLE)].flatMap(({ 0: text, index }) =>
    readSltText(text, lineAt(document, index)),
  )
  if (blocks.length === 0) continue
  describe(`the examples of ${file}`, () => {
    testSltBlocks(blocks, (answers) => {
      const updated = document.replaceAll(EXAMPLE, (text, index: number) =>
        updateSltText(text, answers, lineAt(document, index)),
      )
      writeFileSync(join(CHECKOUT, file), updated)
    })
  })
}

/** They tell of no statement. */
const WITHOUT_EXAMPLE = ['Previews', 'When the numbers are not what was meant', 'Where it differs from PostgreSQL']

test('each part of docs/SQL.md that tells of statements has an example', () => {
  const [, ...parts] = readDocument('docs/SQL.md').split(/^## /m)
  const without = parts.filter((part) => !part.includes('```slt')).map((part) => part.split('\n')[0])
  expect(without).toEqual(WITHOUT_EXAMPLE)
  expect(parts.length).toBeGreaterThan(2 * without.length)
})
