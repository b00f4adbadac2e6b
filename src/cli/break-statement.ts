/** Owns how a long statement of one line is broken for people. Nothing but line breaks and indentation is added. */

const LINE_CHARACTERS_MAX = 100
/** A quoted text or name, a word, or any other character. */
const PIECES = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|./gsu
/** What begins a line of its own, outside of parentheses. */
const CLAUSES = new Set(['FROM', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT'])

/** Each clause begins a line; SELECT's list goes on in the next line where it is too long for one. */
export function breakStatement(sql: string): string {
  const clauses: string[][] = [[]]
  let item = ''
  let depth = 0
  let previous = ''
  const endItem = () => {
    if (item.trim() !== '') clauses.at(-1)?.push(item.trim())
    item = ''
  }
  for (const [piece] of sql.matchAll(PIECES)) {
    if (piece === '(') depth += 1
    if (piece === ')') depth -= 1
    // IS DISTINCT FROM is no clause
    if (depth === 0 && CLAUSES.has(piece) && previous !== 'DISTINCT') {
      endItem()
      clauses.push([])
    }
    item += piece
    if (piece === ',' && depth === 0) endItem()
    if (piece.trim() !== '') previous = piece
  }
  endItem()
  return clauses.map(fillLines).join('\n')
}

/** Items behind each other, in as many lines as they need; what follows the first word, as in SELECT, stands below each other. */
export function fillLines(items: readonly string[]): string {
  const indent = ' '.repeat((/^\w+:? /.exec(items[0] ?? '')?.[0] ?? '').length)
  const lines: string[] = []
  for (const item of items) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + item.length <= LINE_CHARACTERS_MAX) {
      lines[lines.length - 1] = `${last} ${item}`
    } else lines.push(last === undefined ? item : indent + item)
  }
  return lines.join('\n')
}
