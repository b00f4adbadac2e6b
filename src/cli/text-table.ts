/** Owns aligned columns for people. */

/** Letters that a terminal shows two columns wide: CJK, Hangul, full-width forms and emoji. */
const WIDE =
  /^[\u{1100}-\u{115F}\u{2E80}-\u{303E}\u{3041}-\u{A4CF}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE30}-\u{FE6F}\u{FF00}-\u{FF60}\u{FFE0}-\u{FFE6}\u{20000}-\u{3FFFD}]|^\p{Emoji_Presentation}/u
const NUMBER = /^-?\d[\d.]*(?:e[+-]?\d+)?$/i
/** What a terminal would act on. */
const CONTROL = /\p{Cc}/gu
const ESCAPES: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` }
/** How an SQL null is shown: an empty text is another value. */
export const NULL_CELL = 'NULL'

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Columns of numbers are aligned to the right; a cell is one line, with control characters escaped. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = [headings, ...rows].map((cells) => headings.map((_, column) => toOneLine(cells[column] ?? '')))
  const widths = headings.map((_, column) =>
    shown.reduce((widest, cells) => Math.max(widest, widthOf(cells[column] ?? '')), 0),
  )
  const isNumeric = headings.map((_, column) => isColumnOfNumbers(rows.map((row) => row[column] ?? '')))
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)))
        return isNumeric[column] === true ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd()
  const [head = [], ...body] = shown
  return [format(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(format)].join('\n')
}

/** A text of one line; cut where it has more characters than `charactersMax`, and then it ends in "...". */
export function cutText(text: string, charactersMax: number): string {
  const characters = Array.from(text)
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 3).join('')}...`
}

function isColumnOfNumbers(cells: readonly string[]): boolean {
  return cells.some((cell) => NUMBER.test(cell)) && cells.every((cell) => cell === NULL_CELL || NUMBER.test(cell))
}

function toOneLine(text: string): string {
  return text.replaceAll(
    CONTROL,
    (control) => ESCAPES[control] ?? `\\u${control.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )
}

function widthOf(text: string): number {
  // almost every cell
  if (/^[\u{20}-\u{7E}]*$/u.test(text)) return text.length
  let width = 0
  for (const { segment } of letters.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}
