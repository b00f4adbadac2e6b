/**
 * Reads .slt files: SQL tests as data. Blocks are separated by blank lines; `#` begins a comment line.
 *
 *   rollup NAME [over=SOURCE] [idBits=8] [indexes=[["a"]]]   the statement follows; over: of a rollup of that rollup
 *   ingest NAME                                  a record a line follows, one batch
 *   query [params=JSON] [null] [strings]         the statement follows, then ----, then what is expected:
 *                                                rows as JSON lines, `warning TEXT`, `cell TEXT` (an entry of errors),
 *                                                `plan TEXT` (EXPLAIN QUERY PLAN holds it), or `error CODE [TEXT]`
 *
 * A TEXT is expected to be part of what it stands for.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export interface SltBlock {
  readonly line: number
  readonly kind: string
  readonly words: readonly string[]
  readonly body: string
  readonly expected: readonly string[]
}

export function readSltFile(path: URL): SltBlock[] {
  return readSltText(readFileSync(path, 'utf8'))
}

/** `firstLine`: the number of the text's first line, where it is part of a file. */
export function readSltText(whole: string, firstLine = 1): SltBlock[] {
  const blocks: SltBlock[] = []
  let line = firstLine
  for (const text of whole.split(/\n(?=\n)/)) {
    const lines = text.split('\n').filter((one) => !one.startsWith('#'))
    const first = lines.findIndex((one) => one.trim() !== '')
    if (first >= 0) blocks.push(toBlock(lines.slice(first), line))
    line += text.split('\n').length
  }
  return blocks
}

function toBlock([head = '', ...rest]: readonly string[], line: number): SltBlock {
  const [kind = '', ...words] = head.trim().split(/ +/)
  const border = rest.indexOf('----')
  const body = border < 0 ? rest : rest.slice(0, border)
  const expected = border < 0 ? [] : rest.slice(border + 1).filter((one) => one.trim() !== '')
  return { line, kind, words, body: body.join('\n').trim(), expected }
}

/** The JSON of a word `name=JSON`; undefined without it. JSON in a word has no spaces. */
export function wordValue(words: readonly string[], name: string): unknown {
  const word = words.find((one) => one.startsWith(`${name}=`))
  return word === undefined ? undefined : JSON.parse(word.slice(name.length + 1))
}

/** Writes what was answered in place of what was expected, by the blocks' lines. */
export function updateSltFile(path: URL, answers: ReadonlyMap<number, readonly string[]>): void {
  writeFileSync(path, updateSltText(readFileSync(path, 'utf8'), answers))
}

export function updateSltText(whole: string, answers: ReadonlyMap<number, readonly string[]>, firstLine = 1): string {
  let line = firstLine
  const texts = whole.split(/\n(?=\n)/).map((text) => {
    const answer = answers.get(line)
    line += text.split('\n').length
    if (answer === undefined) return text
    const [before] = text.split('\n----')
    return [`${before}\n----`, ...answer].join('\n')
  })
  return `${texts.join('\n').trimEnd()}\n`
}
