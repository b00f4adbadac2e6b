/** Runs the files of test/slt. With SLT_UPDATE=1 what is answered becomes what is expected: read the difference. */
import { readdirSync } from 'node:fs'
import { describe } from 'vitest'
import { readSltFile, updateSltFile } from '../support/slt-file.ts'
import { testSltBlocks } from './slt-blocks.ts'

const FOLDER = new URL('../slt/', import.meta.url)

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.slt'))) {
  const path = new URL(file, FOLDER)
  describe(`the file ${file}`, () => {
    testSltBlocks(readSltFile(path), (answers) => updateSltFile(path, answers))
  })
}
