/** Owns the functions of PostgreSQL that a person may reach for and that are refused: for good with a reason, or until later. */

const CLOCK = 'a result may depend on the records alone, not on when they are read'
const CHANCE = 'a result may depend on the records alone, not on chance'
const SESSION = 'a result may depend on the records alone, not on the session'

const VOLATILE: ReadonlyMap<string, string> = new Map([
  ...words(`now clock_timestamp statement_timestamp transaction_timestamp timeofday pg_sleep
    current_date current_time current_timestamp localtime localtimestamp`).map((name) => [name, CLOCK] as const),
  ...words('random random_normal gen_random_uuid uuidv4 uuidv7 uuid_generate_v4 setseed').map(
    (name) => [name, CHANCE] as const,
  ),
  ...words(`nextval currval lastval setval current_setting set_config version current_database current_schema
    current_user current_role session_user current_catalog pg_backend_pid txid_current`).map(
    (name) => [name, SESSION] as const,
  ),
])

const LATER: ReadonlySet<string> = new Set(
  words(`grouping regexp_matches regexp_instr sind cosd tand asind
    acosd atand jsonb_path_query unnest generate_series hashtext`),
)

/** What stands for a function that rollupd doesn't have. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['overlaps', 'Of periods from a to b and from c to d write a < d AND c < b.'],
  ['array_position', 'Whether an array holds x is x = ANY (tags).'],
  ['array_append', 'Write tags || to_jsonb(x).'],
  ['array_cat', 'Write a || b.'],
  ['array_prepend', 'Write to_jsonb(x) || tags.'],
  ['array_remove', 'Of texts write tags - x.'],
  ['row_to_json', "Write jsonb_build_object('name', value) with the columns that are wanted."],
  ['isfinite', 'Every time is finite here.'],
  ['pg_typeof', 'The answer names the type of each column; jsonb_typeof(to_jsonb(x)) is the kind of a value.'],
  ['is_normalized', 'Texts are compared by their bytes.'],
  ['normalize', 'Texts are compared by their bytes.'],
  ['if', 'Write CASE WHEN x > 1 THEN a ELSE b END.'],
  ['iff', 'Write CASE WHEN x > 1 THEN a ELSE b END.'],
  ...words('ifnull nvl').map((name) => [name, 'Write COALESCE(a, b).'] as const),
  ['isnull', 'Write x IS NULL.'],
  ['instr', 'Write strpos(text, part).'],
  ['len', 'Write length(text).'],
  ['date', 'Write ts::timestamptz::date.'],
  ['datediff', 'The difference of two times is a - b, in seconds extract(epoch FROM a - b).'],
  ...words('year quarter month week day hour minute second').map(
    (name) => [name, `Write extract(${name} FROM ts::timestamptz).`] as const,
  ),
  ['date_format', "Write to_char(ts::timestamptz, 'YYYY-MM-DD')."],
  ['approx_count_distinct', 'Write APPROX_DISTINCT(x).'],
  ...words('count_if countif').map((name) => [name, 'Write COUNT(*) FILTER (WHERE x > 1).'] as const),
  ['convert', 'Write CAST(x AS bigint) or x::bigint.'],
  ['regexp_matches', 'Write regexp_match(x, pattern) for the first match, regexp_substr(x, pattern) for its text.'],
])

const LATER_AGGREGATES: ReadonlySet<string> = new Set(words('xmlagg range_agg range_intersect_agg'))

const WINDOW_FUNCTIONS: ReadonlySet<string> = new Set(
  words('row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value'),
)

/** Why a volatile function is refused; undefined: it isn't one. */
export function volatileReason(name: string, argumentCount = 0): string | undefined {
  // of one time it is the age today
  if (name === 'age' && argumentCount < 2) return CLOCK
  return VOLATILE.get(name)
}

/** What to write where a function isn't there; undefined: nothing else is known for it. */
export function insteadOf(name: string): string | undefined {
  return INSTEAD.get(name)
}

/** Known, and not supported yet. */
export function isLaterFunction(name: string): boolean {
  return LATER.has(name) || LATER_AGGREGATES.has(name)
}

/** Known as an aggregate, and not supported yet. */
export function isLaterAggregate(name: string): boolean {
  return LATER_AGGREGATES.has(name)
}

/** For suggestions. */
export function windowFunctionNames(): readonly string[] {
  return [...WINDOW_FUNCTIONS]
}

/** Has a meaning with OVER only. */
export function isWindowFunction(name: string): boolean {
  return WINDOW_FUNCTIONS.has(name)
}

function words(list: string): string[] {
  return list.split(/\s+/)
}
