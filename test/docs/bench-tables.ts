/**
 * Renders what the documents quote from bench/results.json. Between the comments `<!-- bench NAME -->` and `<!-- end -->` stand a bench's bars, its
 * figures and how they came about; between `<!-- figures` with a line `NAME: FIGURE` each and the end, the named figures and bars.
 */
import { format } from 'prettier'
import { formatFigure } from '../../bench/support/bench-report.ts'
import type { Results, Section } from '../../bench/support/bench-results.ts'

const NOT_MEASURED = 'not measured yet'
const BLOCK = /(<!-- (bench|figures)\s([^>]*?)-->\n).*?(<!-- end -->)/gs

/** The document with each of its blocks as the results say. Errors: where a block names a figure that a bench doesn't have. */
export async function renderBenchBlocks(document: string, results: Results): Promise<string> {
  const text = document.replaceAll(
    BLOCK,
    (_block, opening: string, kind: string, named: string, closing: string) =>
      `${opening}\n${kind === 'bench' ? renderSection(named.trim(), results) : renderNamed(named, results)}\n${closing}`,
  )
  return format(text, { parser: 'markdown', printWidth: 120 })
}

/** Names of the sections that the document shows whole. */
export function shownSections(document: string): string[] {
  return [...document.matchAll(BLOCK)].flatMap(([, , kind, named = '']) => (kind === 'bench' ? [named.trim()] : []))
}

function renderSection(name: string, results: Results): string {
  const section = results[name]
  if (section === undefined) return NOT_MEASURED
  const { command, date, revision, cores, cpu, loadBefore, node, bars, figures }: Section = section
  const barRows = Object.entries(bars).map(
    ([title, { value, unit, bar, met, note }]) =>
      `| ${title} | ${formatFigure(value, unit)} | ${bar} | ${met ? 'met' : '**missed**'}${note === undefined ? '' : `, ${note}`} |`,
  )
  const figureRows = Object.entries(figures).map(
    ([title, { value, unit }]) => `| ${title} | ${formatFigure(value, unit)} |`,
  )
  return [
    `\`${command}\` on ${date.slice(0, 'yyyy-mm-dd'.length)}, revision ${revision}, ${cores} cores (${cpu})${loadBefore === undefined ? '' : `, load ${loadBefore} before`}, Node ${node}:\n`,
    ...(barRows.length === 0 ? [] : ['| what | found | bar | |\n| --- | ---: | ---: | --- |', ...barRows, '']),
    ...(figureRows.length === 0 ? [] : ['| figure | |\n| --- | ---: |', ...figureRows, '']),
  ].join('\n')
}

function renderNamed(named: string, results: Results): string {
  const rows = named
    .trim()
    .split('\n')
    .map((line) => {
      const [, name = '', title = ''] = /^([\w-]+): (.+)$/.exec(line) ?? []
      const section = results[name]
      if (section === undefined) return `| ${title} | ${NOT_MEASURED} | \`./dev bench ${name}\` |`
      const { figures, bars, command } = section
      const found = figures[title] ?? bars[title]
      if (found === undefined) throw new Error(`bench/results.json has no figure "${title}" of "${name}"`)
      return `| ${title} | ${formatFigure(found.value, found.unit)} | \`${command}\` |`
    })
  return ['| | | |\n| --- | ---: | --- |', ...rows, ''].join('\n')
}
