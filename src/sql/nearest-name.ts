/** Owns "did you mean": the names nearest to a mistyped one. */

const SUGGESTIONS_MAX = 3
/** A suggestion differs in at most a third of the longer name, and always may in one letter. */
const DISTANCE_SHARE = 1 / 3

/** The nearest names, best first, at most three; empty where none is near. */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  const scored: { candidate: string; distance: number }[] = []
  for (const candidate of new Set(candidates)) {
    const allowed = Math.max(1, Math.floor(Math.max(name.length, candidate.length) * DISTANCE_SHARE))
    if (Math.abs(name.length - candidate.length) > allowed) continue
    const distance = editDistance(name, candidate)
    if (distance <= allowed) scored.push({ candidate, distance })
  }
  // of two that are as near the longer one: a letter is more often left out than typed twice
  scored.sort(
    (a, b) =>
      a.distance - b.distance || b.candidate.length - a.candidate.length || (a.candidate < b.candidate ? -1 : 1),
  )
  return scored.slice(0, SUGGESTIONS_MAX).map(({ candidate }) => candidate)
}

/** A sentence for a hint: `Did you mean lower or upper?`; undefined where no name is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const names = nearestNames(name, candidates)
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`
}

/** Damerau-Levenshtein (optimal string alignment): insert, delete, replace, swap two neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      let best = Math.min(
        cell(last, column) + 1,
        cell(current, column - 1) + 1,
        cell(last, column - 1) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, cell(beforeLast, column - 2) + 1)
      }
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return cell(last, to.length)
}

function cell(row: readonly number[], index: number): number {
  return row[index] as number
}
