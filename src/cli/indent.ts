/** Owns the indent of what belongs to the line above it. */
export function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
