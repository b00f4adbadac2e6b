/** Owns the run of one preview: plan, sample, fold, merge, and the answer as JSON text. Runs on the preview thread. */
import type { RollupPlan } from '../../planner/plan.ts'
import type { RecordSource } from '../../tailer/record-source.ts'
import { FieldSurvey } from './field-survey.ts'
import { PartialCells } from './partial-cells.ts'
import { printPreview } from './preview-answer.ts'
import { PreviewLeaf } from './preview-leaf.ts'
import type { PreviewRequest } from './preview-request.ts'
import { StepWatch } from './preview-steps.ts'
import { findWarnings } from './preview-warnings.ts'
import { readSample, type Sample } from './read-sample.ts'
import { type FoldedRecord, RecordFold, startsOf } from './record-fold.ts'
import { toGivenRecords, valueOf } from './sampled-record.ts'

export interface PreviewParts {
  readonly source: RecordSource
  readonly planRollup: (sql: string) => RollupPlan
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}

/** Errors: sql_*, unknown_topic, start_out_of_range, bad_parameter, broker_away. */
export async function runPreview(request: PreviewRequest, parts: PreviewParts): Promise<string> {
  const plan = parts.planRollup(request.sql)
  return previewSample(plan, await takeSample(request, parts), request)
}

async function takeSample({ from, receivedAtMs }: PreviewRequest, { source, clock }: PreviewParts): Promise<Sample> {
  if (from.kind === 'topic') return await readSample(source, from, clock)
  return { topic: '', records: toGivenRecords(from.values, receivedAtMs), warnings: [] }
}

function previewSample(plan: RollupPlan, { topic, records, warnings }: Sample, request: PreviewRequest): string {
  const starts = startsOf(records)
  const leaf = new PreviewLeaf(plan, starts)
  try {
    const createFold = () => new RecordFold(leaf.rollupId, plan, request.onError, topic, starts)
    // beside each record's own batch one of all, as a rollup has it: ten times as quick to store
    const [each, whole] = [createFold(), createFold()]
    const watch = request.steps ? new StepWatch(leaf) : undefined
    const folded: FoldedRecord[] = []
    const survey = new FieldSurvey()
    for (const record of records) {
      const one = each.fold(record)
      folded.push(one.folded)
      if (watch === undefined) whole.add(record)
      else watch.take(one.folded, one.batch)
      survey.add(valueOf(record))
    }
    const batch = whole.seal()
    if (batch !== undefined) leaf.commit(batch)
    const found = [...warnings, ...findWarnings(plan, survey, folded)]
    if (survey.isCut) found.push(`the sample has more than ${survey.fields.length} fields: these are the first ones`)
    if (records.length === 0) found.push('there are no records in the sample')
    return printPreview(
      { plan, folded, groups: leaf.groups(), steps: watch?.steps, survey, warnings: found },
      new PartialCells(plan),
    )
  } finally {
    leaf.close()
  }
}
