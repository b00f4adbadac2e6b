/** Owns SIMILAR TO: its pattern as a regular expression over the whole text, as PostgreSQL translates it. */

const LITERAL = /[.^$\\]/

/** `escape`: one character, or empty for none; at the pattern's end it means nothing. */
export function similarToRegexp(pattern: string, escape: string): string {
  let body = ''
  let inBrackets = false
  let isEscaped = false
  for (const character of pattern) {
    if (isEscaped) {
      body += `\\${character}`
      isEscaped = false
    } else if (character === escape) isEscaped = true
    else if (inBrackets) {
      if (character === ']') inBrackets = false
      body += character === '\\' ? '\\\\' : character
    } else {
      if (character === '[') inBrackets = true
      body += translate(character)
    }
  }
  return `^(?:${body})$`
}

function translate(character: string): string {
  if (character === '%') return '.*'
  if (character === '_') return '.'
  // no groups are asked for
  if (character === '(') return '(?:'
  return LITERAL.test(character) ? `\\${character}` : character
}
