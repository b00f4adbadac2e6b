/** Owns the text form of a one-dimensional array of texts, as paths are written: {a,"b c",0}. Source: PostgreSQL, "Array Input". */

/** The elements; undefined where the text is no such array, or has a NULL in it. */
export function parseTextArray(text: string): readonly string[] | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed.length < 2) return undefined
  const inner = trimmed.slice(1, -1)
  if (inner.trim() === '') return []
  const elements: string[] = []
  // quoted with escapes, or bare without the characters that need quotes
  const element = /\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^",{}\\]|\\.)+?))\s*(,|$)/sy
  for (let more = true; more;) {
    const match = element.exec(inner)
    if (match === null) return undefined
    const [, quoted, bare = '', separator] = match
    if (quoted === undefined && (bare.trim() === '' || bare.toLowerCase() === 'null')) return undefined
    elements.push((quoted ?? bare).replace(/\\(.)/gs, '$1'))
    more = separator === ','
  }
  return elements
}
