/** Owns the shape of a preview's answer. Cells come as JSON text with all their digits, so the whole is put together as text. */
import type { RollupPlan } from '../../planner/plan.ts'
import { toJsonText } from '../../query/json-cell.ts'
import { toPlanAnswer } from '../plan-answer.ts'
import type { FieldSurvey } from './field-survey.ts'
import type { PartialCells } from './partial-cells.ts'
import type { Groups } from './preview-leaf.ts'
import type { PreviewStep } from './preview-steps.ts'
import type { FoldedRecord, TouchedGroup } from './record-fold.ts'
import { type SampledRecord, valueOf } from './sampled-record.ts'

/** Bytes of a record's value that are shown. */
const VALUE_BYTES_MAX = 16 * 1024

export interface Preview {
  readonly plan: RollupPlan
  readonly folded: readonly FoldedRecord[]
  readonly groups: Groups
  /** Undefined: not asked for. */
  readonly steps: readonly PreviewStep[] | undefined
  readonly survey: FieldSurvey
  readonly warnings: readonly string[]
}

export function printPreview(preview: Preview, partials: PartialCells): string {
  const { plan, folded, groups, steps, survey, warnings } = preview
  const names = plan.wrap.outputs.map(({ name }) => name)
  const rows = (isHidden: boolean): string =>
    array(groups.rows.filter((group) => group.isHidden === isHidden).map(({ cells }) => row(names, cells)))
  return object({
    plan: JSON.stringify(toPlanAnswer(plan)),
    source_rows: array(folded.map((one) => printSourceRow(one, plan, partials))),
    groups: rows(false),
    hidden_groups: rows(true),
    ...(steps === undefined ? {} : { steps: array(steps.map((step) => printStep(step, names))) }),
    rejected: array(folded.flatMap(printRejected)),
    filtered: String(folded.filter(({ outcome }) => outcome.kind === 'filtered').length),
    fields: JSON.stringify(survey.fields.map((field) => toShownField(field, survey.documents))),
    warnings: JSON.stringify([...plan.warnings, ...groups.warnings, ...warnings]),
    ...(groups.errors.length === 0 ? {} : { errors: JSON.stringify(groups.errors.map(withoutRow)) }),
  })
}

function printSourceRow({ record, outcome }: FoldedRecord, plan: RollupPlan, partials: PartialCells): string {
  return object({
    ...placeOf(record),
    ...shownValue(record),
    outcome: JSON.stringify(outcome.kind),
    ...(outcome.kind === 'aggregated'
      ? {
          ...printChange(outcome.groups[0], plan, partials),
          ...(outcome.groups.length === 1
            ? {}
            : {
                more_groups: array(outcome.groups.slice(1).map((group) => object(printChange(group, plan, partials)))),
              }),
        }
      : {}),
    ...(outcome.kind === 'rejected'
      ? { code: JSON.stringify(outcome.code), reason: JSON.stringify(outcome.reason) }
      : {}),
  })
}

function placeOf({ shard, offset, timestampMs }: SampledRecord): Record<string, string> {
  const time = new Date(timestampMs)
  return {
    partition: String(shard.partition),
    offset: String(offset),
    timestamp: JSON.stringify(Number.isNaN(time.getTime()) ? null : time),
  }
}

function shownValue(record: SampledRecord): Record<string, string> {
  const value = valueOf(record)
  if (value.length > VALUE_BYTES_MAX) {
    // a letter that is cut in two becomes a replacement character
    const text = Buffer.from(value.subarray(0, VALUE_BYTES_MAX)).toString('utf8')
    return { value: JSON.stringify(text), value_bytes: String(value.length) }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
    return { value: JSON.stringify(text) }
  } catch {
    return { value_base64: JSON.stringify(Buffer.from(value).toString('base64')) }
  }
}

function printChange(group: TouchedGroup, plan: RollupPlan, partials: PartialCells): Record<string, string> {
  return { group: printGroup(group, plan), partials: partials.print(group.states) }
}

function printGroup({ values }: TouchedGroup, { ingest }: RollupPlan): string {
  return row(
    ingest.groupBy.map(({ output, column }) => output ?? column),
    ingest.groupBy.map(({ type }, index) => toJsonText(values[index] ?? null, type)),
  )
}

function printRejected({ record, outcome }: FoldedRecord): string[] {
  if (outcome.kind !== 'rejected') return []
  const { code, reason, position } = outcome
  const { partition, offset } = placeOf(record)
  return [
    object({
      partition: partition ?? '',
      offset: offset ?? '',
      code: JSON.stringify(code),
      reason: JSON.stringify(reason),
      ...(position === 0 ? {} : { position: String(position) }),
    }),
  ]
}

function printStep({ record, group, isNew, changed, groupCount }: PreviewStep, names: readonly string[]): string {
  return object({
    record: String(record),
    group_count: String(groupCount),
    ...(group === undefined
      ? {}
      : {
          id: group.id,
          is_new: String(isNew),
          is_hidden: String(group.isHidden),
          row: row(names, group.cells),
          changed: JSON.stringify(changed.map((index) => names[index])),
        }),
  })
}

function toShownField({ path, count, kinds }: FieldSurvey['fields'][number], documents: number) {
  const shares = [...kinds].map(([kind, some]) => [kind, toShare(some, documents)] as const)
  return { path, share: toShare(count, documents), kinds: Object.fromEntries(shares) }
}

/** Four digits tell one record of 10,000. */
function toShare(count: number, total: number): number {
  return Math.round((count / total) * 10_000) / 10_000
}

/** `row` counts in rows that the answer doesn't show in that order. */
function withoutRow({ row: _row, ...note }: Groups['errors'][number]) {
  return note
}

function row(names: readonly string[], cells: readonly string[]): string {
  return `{${names.map((name, index) => `${JSON.stringify(name)}:${cells[index]}`).join(',')}}`
}

function object(members: Readonly<Record<string, string>>): string {
  return row(Object.keys(members), Object.values(members))
}

function array(elements: readonly string[]): string {
  return `[${elements.join(',')}]`
}
