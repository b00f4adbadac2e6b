/** Owns aligned columns for people. */

/** Numbers are aligned to the right; a cell is one line. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const isNumeric = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^-?[\d.,]*$/.test(row[column] ?? '')),
  )
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [format(headings), format(widths.map((width) => '-'.repeat(width))), ...rows.map(format)].join('\n')
}
