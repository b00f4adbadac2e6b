/** Owns what is likely wrong with a statement for these records, although it runs. */
import { toJsonText } from '../../query/json-cell.ts'
import type { RollupPlan } from '../../planner/plan.ts'
import { childrenOf, type Expression, type Field as FieldExpression } from '../../sql/expression.ts'
import { nearestNames } from '../../sql/nearest-name.ts'
import { type Field, type FieldSurvey, toPath } from './field-survey.ts'
import type { FoldedRecord } from './record-fold.ts'
import { valueOf } from './sampled-record.ts'

/** Fewer records say nothing about how many groups there will be. */
const EXPLOSION_RECORDS_MIN = 20
/** A grouping column with so many values for each record hardly groups. */
const EXPLOSION_SHARE = 0.9
/** Of a field's numbers, to speak of them all. */
const MOST = 0.5
/** Confluent's wire format: a zero byte, then the schema's number in four. */
const SCHEMA_HEADER_BYTES = 5
const OPENING_BRACE = 0x7b

export function findWarnings(plan: RollupPlan, survey: FieldSurvey, folded: readonly FoldedRecord[]): string[] {
  const expressions = expressionsOf(plan)
  return [
    ...schemaHeaderWarnings(folded),
    ...(survey.documents === 0 ? [] : missingFieldWarnings(expressions, survey)),
    ...timeUnitWarnings(expressions, survey),
    ...filterWarnings(folded),
    ...mismatchWarnings(folded),
    ...explosionWarnings(plan, folded),
  ]
}

/** All parts of the ingest half, each once however often it stands there. */
function expressionsOf({ ingest }: RollupPlan): Expression[] {
  const found: Expression[] = []
  const visit = (expression: Expression): void => {
    found.push(expression)
    childrenOf(expression).forEach(visit)
  }
  if (ingest.where !== null) visit(ingest.where)
  for (const { expression } of ingest.groupBy) visit(expression)
  for (const { args, filter } of ingest.partials) {
    args.forEach(visit)
    if (filter !== null) visit(filter)
  }
  return found
}

function missingFieldWarnings(expressions: readonly Expression[], survey: FieldSurvey): string[] {
  const warnings = new Set<string>()
  for (const expression of expressions) {
    if (expression.kind !== 'field' || expression.element !== undefined) continue
    const keys = keysOf(expression)
    if (keys.length === 0 || survey.find(keys) !== undefined) continue
    const near = nearFields(keys, survey)
    const hint = near.length === 0 ? '' : `; the data has ${near.join(' or ')}`
    warnings.add(`no record of the sample has the field ${toPath(keys)}${hint}`)
  }
  return [...warnings]
}

/** Up to the first index: elements of arrays are not surveyed. */
function keysOf({ path }: FieldExpression): string[] {
  const end = path.findIndex((step) => typeof step === 'number')
  return (end < 0 ? path : path.slice(0, end)) as string[]
}

/** Names that differ in the case of their letters go before others; a path with that name elsewhere comes last. */
function nearFields(keys: readonly string[], survey: FieldSurvey): string[] {
  const name = keys.join('.')
  const byName = new Map(survey.fields.map((field) => [field.keys.join('.'), field]))
  const folded = [...byName].filter(([other]) => other.toLowerCase() === name.toLowerCase())
  if (folded.length > 0) return folded.map(([, { path }]) => path)
  const near = nearestNames(name, byName.keys())
  if (near.length > 0) return near.map((other) => byName.get(other)?.path ?? other)
  const last = keys.at(-1)?.toLowerCase()
  return survey.fields.filter((field) => field.keys.at(-1)?.toLowerCase() === last).map(({ path }) => path)
}

/** What to write instead, by the function that takes another unit. */
function timeUnitWarnings(expressions: readonly Expression[], survey: FieldSurvey): string[] {
  const warnings = new Set<string>()
  for (const expression of expressions) {
    if (expression.kind !== 'call') continue
    const [argument] = expression.args
    if (argument?.kind !== 'field' || argument.element !== undefined) continue
    const field = survey.find(keysOf(argument))
    const numbers = field?.kinds.get('number') ?? 0
    if (field === undefined || numbers === 0) continue
    const unit = wrongUnit(expression.function, field, numbers)
    if (unit !== undefined) warnings.add(`the numbers of ${field.path} look like ${unit}`)
  }
  return [...warnings]
}

function wrongUnit(name: string, field: Field, numbers: number): string | undefined {
  if (name === 'to_timestamp' && field.inMilliseconds > numbers * MOST) {
    return `milliseconds, to_timestamp takes seconds: write timestamp_millis(${field.path})`
  }
  if (name === 'timestamp_millis' && field.inSeconds > numbers * MOST) {
    return `seconds, timestamp_millis takes milliseconds: write to_timestamp(${field.path})`
  }
  return undefined
}

function filterWarnings(folded: readonly FoldedRecord[]): string[] {
  const isAll = folded.length > 0 && folded.every(({ outcome }) => outcome.kind === 'filtered')
  return isAll ? ['WHERE leaves out every record of the sample'] : []
}

/** They count as null, so a condition on another kind than the data's is true of no record. */
function mismatchWarnings(folded: readonly FoldedRecord[]): string[] {
  const count = folded.filter(({ mixesKinds }) => mixesKinds).length
  if (count === 0) return []
  const records = count === 1 ? 'one record' : `${count} records`
  return [`in ${records} values of two kinds (such as a number and a text) were compared, which gives null`]
}

function explosionWarnings(plan: RollupPlan, folded: readonly FoldedRecord[]): string[] {
  const groups = folded.flatMap(({ outcome }) => (outcome.kind === 'aggregated' ? [outcome.groups[0]] : []))
  if (groups.length < EXPLOSION_RECORDS_MIN) return []
  return plan.ingest.groupBy.flatMap(({ output, column, type }, index) => {
    const values = new Set(groups.map(({ values: cells }) => toJsonText(cells[index] ?? null, type)))
    if (values.size < groups.length * EXPLOSION_SHARE) return []
    return [
      `the grouping column ${output ?? column} has ${values.size} different values in ${groups.length} records: nearly every record makes a group of its own`,
    ]
  })
}

function schemaHeaderWarnings(folded: readonly FoldedRecord[]): string[] {
  const headed = folded.map(({ record }) => valueOf(record)).filter(hasSchemaHeader)
  if (headed.length === 0) return []
  const isJson = headed.some((value) => value[SCHEMA_HEADER_BYTES] === OPENING_BRACE)
  const count = headed.length === 1 ? 'one value begins' : `${headed.length} values begin`
  return [
    `${count} with the header of a schema registry (a zero byte and the schema's number)${isJson ? ' before the JSON' : ', likely Avro or Protobuf'}: rollupd reads plain JSON, so produce it without a registry's serializer`,
  ]
}

function hasSchemaHeader(value: Uint8Array): boolean {
  return value.length > SCHEMA_HEADER_BYTES && value[0] === 0
}
