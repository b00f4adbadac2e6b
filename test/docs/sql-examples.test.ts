/** The examples in the documents answer what stands below them; those of one document share a leaf. Written anew with SLT_UPDATE=1. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
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
