/** Owns the names of units of time in date_trunc and extract: PostgreSQL's shorter and plural ones beside the one that the tables have. */
const NAMES: readonly (readonly [string, string])[] = [
  ['microseconds', 'us usec usecs usecond useconds microsecond'],
  ['milliseconds', 'ms msec msecs msecond mseconds millisecond'],
  ['second', 's sec secs seconds'],
  ['minute', 'm min mins minutes'],
  ['hour', 'h hr hrs hours'],
  ['day', 'd days'],
  ['week', 'w weeks'],
  ['month', 'mon mons months'],
  ['quarter', 'qtr'],
  ['year', 'y yr yrs years'],
  ['decade', 'dec decs decades'],
  ['century', 'c cent centuries'],
  ['millennium', 'mil mils millennia'],
  ['timezone_hour', 'timezone_h'],
  ['timezone_minute', 'timezone_m'],
]
const CANONICAL: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(([name, others]) => others.split(' ').map((other) => [other, name] as const)),
)

/** The one name of a unit, given in any case; what isn't a unit stays as it is. */
export function unitName(written: string): string {
  const lower = written.toLowerCase()
  return CANONICAL.get(lower) ?? lower
}
