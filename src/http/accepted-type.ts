/** Owns the choice of an answer's type by the header Accept. Source: RFC 9110, section 12.5.1. */

interface Range {
  readonly type: string
  readonly subtype: string
  readonly quality: number
}

/** Of the offered types (most preferred first) the one that the client likes best; undefined when it takes none of them. */
export function chooseAcceptedType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  const ranges = (accept ?? '')
    .split(',')
    .map(parseRange)
    .filter((range) => range !== undefined)
  if (ranges.length === 0) return offered[0]
  let best: Type | undefined
  let bestQuality = 0
  for (const type of offered) {
    const quality = qualityOf(type, ranges)
    if (quality > bestQuality) {
      best = type
      bestQuality = quality
    }
  }
  return best
}

/** Undefined for what is no range: it can't be met, and asks for nothing. */
function parseRange(text: string): Range | undefined {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const [type, subtype] = range.split('/')
  if (!type || !subtype) return undefined
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = given === undefined ? 1 : Number(given)
  return { type, subtype, quality: Number.isNaN(quality) ? 1 : quality }
}

/** The most specific range decides. */
function qualityOf(offered: string, ranges: readonly Range[]): number {
  const [type, subtype] = offered.split('/')
  const find = (wantedType: string | undefined, wantedSubtype: string | undefined) =>
    ranges.find((range) => range.type === wantedType && range.subtype === wantedSubtype)
  return (find(type, subtype) ?? find(type, '*') ?? find('*', '*'))?.quality ?? 0
}
