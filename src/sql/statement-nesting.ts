/**
 * Owns a bound on how deep the grammar's tree of a statement can be, from its tokens alone. The parser writes its tree recursively on
 * the WASM stack: seen, each overflow there loses 20 MB, and after some twenty the parser is broken for the life of the process. So a
 * statement that might overflow never reaches it.
 */
import type { Token } from './token.ts'

/** Overflows were seen from 1,500 nested subqueries and 4,000 operators in a row on. */
const NESTING_MAX = 1_000

/** What begins a list's next part: parts stand side by side in the tree. */
const SEPARATORS = new Set([
  ',',
  'and',
  'or',
  'when',
  'then',
  'else',
  'select',
  'from',
  'where',
  'having',
  'group',
  'order',
  'limit',
])
/** Chains that no separator ends. */
const CHAINS = new Set(['union', 'intersect', 'except', 'join'])
const OPENING = new Set(['(', '[', 'case'])
const CLOSING = new Set([')', ']', 'end'])

interface Level {
  /** Levels above this bracket. */
  readonly base: number
  /** Operators and words since the last separator. */
  run: number
  chain: number
}

/** At least the depth of the tree, and near it for what people write. The token where it passes `limit`; undefined: it doesn't. */
export function tooDeepToken(tokens: readonly Token[], limit: number = NESTING_MAX): Token | undefined {
  let level: Level = { base: 0, run: 0, chain: 0 }
  const outer: Level[] = []
  for (const token of tokens) {
    const word = token.text.toLowerCase()
    if (OPENING.has(word)) {
      outer.push(level)
      level = { base: depthOf(level) + 1, run: 0, chain: 0 }
    } else if (CLOSING.has(word)) {
      level = outer.pop() ?? level
    } else if (SEPARATORS.has(word)) {
      level.run = 0
    } else if (CHAINS.has(word)) {
      level.chain += 1
    } else if (token.kind === 'keyword' || token.kind === 'other') {
      level.run += 1
    }
    if (depthOf(level) > limit) return token
  }
  return undefined
}

function depthOf({ base, run, chain }: Level): number {
  return base + run + chain
}
