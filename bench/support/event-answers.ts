/** The bench's events as a tailer fetches them: record batches in answers of about a megabyte, in memory. */
import { encodeBatch, type EncodableRecord } from '../../src/records/record-batch-encoder.ts'
import { EVENT_STEP_MS, FIRST_EVENT_MS, PageViews } from './page-views.ts'

const RECORDS_PER_BATCH = 500
/** As the tailer fetches. */
const ANSWER_BYTES = 1024 * 1024

export interface EventAnswer {
  readonly bytes: Uint8Array
  /** The offset behind its last record. */
  readonly next: number
}

export function buildAnswers(events: number): EventAnswer[] {
  const views = new PageViews()
  const answers: EventAnswer[] = []
  let batches: Uint8Array[] = []
  let size = 0
  for (let base = 0; base < events; base += RECORDS_PER_BATCH) {
    const records: EncodableRecord[] = []
    const end = Math.min(base + RECORDS_PER_BATCH, events)
    for (let index = base; index < end; index++) {
      const value = Buffer.from(JSON.stringify(views.next()))
      records.push({ key: null, value, timestampMs: FIRST_EVENT_MS + index * EVENT_STEP_MS })
    }
    const batch = encodeBatch({ baseOffset: base, records })
    batches.push(batch)
    size += batch.length
    if (size >= ANSWER_BYTES || end >= events) {
      answers.push({ bytes: new Uint8Array(Buffer.concat(batches)), next: end })
      batches = []
      size = 0
    }
  }
  return answers
}

/** CPU time of this thread, so that other work on the machine counts less. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
