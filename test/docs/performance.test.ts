/** What the documents quote of the benches is what bench/results.json holds. `./dev test docs -- -u` writes it anew. */
import { expect, test } from 'vitest'
import { readResults } from '../../bench/support/bench-results.ts'
import { listScripts } from '../../tools/commands/scripts.ts'
import { renderBenchBlocks, shownSections } from './bench-tables.ts'
import { readDocument } from './markdown.ts'

const results = readResults()

test.each(['README.md', 'docs/PERFORMANCE.md'])('%s quotes bench/results.json', async (file) => {
  const document = readDocument(file)
  const quoting = await renderBenchBlocks(document, results)
  expect(quoting).toMatch(/^<!-- (bench|figures)\s/m)
  await expect(quoting).toMatchFileSnapshot(`../../${file}`)
})

/** Tables of a hundred rows. */
const NOT_SHOWN = ['sketch-error', 'sql']

test('docs/PERFORMANCE.md shows the results of each bench, or names it', () => {
  const document = readDocument('docs/PERFORMANCE.md')
  expect(shownSections(document).toSorted()).toEqual(listScripts('bench').filter((name) => !NOT_SHOWN.includes(name)))
  expect(listScripts('bench').filter((name) => !document.includes(`./dev bench ${name}`))).toEqual([])
})

test('results of benches are of programs that are there, run as they are run by default', () => {
  const commands = Object.entries(results).map(([name, { command }]) => [name, command])
  expect(commands).toEqual(
    listScripts('bench')
      .filter((name) => name in results)
      .map((name) => [name, `./dev bench ${name}`]),
  )
})

test('a figure that is not in the results is found', async () => {
  const quote = (line: string) => renderBenchBlocks(`<!-- figures\n${line}\n-->\n<!-- end -->\n`, results)
  const [name = '', section] = Object.entries(results)[0] ?? []
  const [figure = ''] = Object.keys(section?.figures ?? {})
  expect(await quote(`${name}: ${figure}`)).toContain(`\`./dev bench ${name}\``)
  await expect(quote(`${name}: of nothing`)).rejects.toThrow('no figure')
})
