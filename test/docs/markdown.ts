/** Owns what tests read from the documents: fenced blocks and links. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const CHECKOUT = dirname(dirname(import.meta.dirname))

export interface Block {
  /** sh, sql, text, json; empty for a bare fence. */
  readonly language: string
  readonly text: string
}

export function readDocument(file: string): string {
  return readFileSync(join(CHECKOUT, file), 'utf8')
}

export function readBlocks(file: string): Block[] {
  return [...readDocument(file).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** Targets of links, without those to other hosts. */
export function readLinks(file: string): string[] {
  return [...readDocument(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !target.includes('://'))
}

/** What `#...` may name in a document. */
export function readAnchors(file: string): string[] {
  return [...readDocument(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
