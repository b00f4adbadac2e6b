/**
 * Owns the reasons of halts, and the question whether the log that we read still is the one that our position was taken in (laws 3 and 7).
 * Losses are never inferred from holes between records.
 */
import type { HaltedRecord } from '../aggregator/member-fold.ts'
import type { HaltReason } from '../core/shard.ts'
import type { DecodeStop } from '../records/record-batch-decoder.ts'
import type { ShardCursor } from './shard-cursor.ts'

/** The log no longer holds `next`: the exact range that is gone. */
export function describeLoss(cursor: ShardCursor, logStartOffset: number): HaltReason {
  const count = logStartOffset - cursor.next
  return {
    code: 'lost',
    message:
      `offsets ${cursor.next} to ${logStartOffset - 1} of partition ${cursor.shard.partition} (${count}) were removed from the log ` +
      'before they were read; resume with accept ["lost"] to go on behind them',
    goOnAt: logStartOffset,
  }
}

/**
 * KIP-320: whether the log diverged below our position. `answer` is the end of the largest epoch <= ours in the present
 * leader's log. Undefined: it did not.
 */
export function findTruncation(
  cursor: ShardCursor,
  answer: { readonly epoch: number; readonly endOffset: number },
): HaltReason | undefined {
  if (answer.epoch < 0 || answer.endOffset < 0 || answer.endOffset >= cursor.next) return undefined
  return {
    code: 'truncated',
    message:
      `the log of partition ${cursor.shard.partition} was truncated at offset ${answer.endOffset} after it was read up to ` +
      `${cursor.next} (an unclean leader election): ${cursor.next - answer.endOffset} records that it lost are still counted; ` +
      'resume with accept ["truncated"] to go on where the logs diverge',
    goOnAt: answer.endOffset,
  }
}

export function describeRecreation(topic: string, cursor: ShardCursor): HaltReason {
  return {
    code: 'recreated',
    message:
      `topic "${topic}" was deleted and created again; what was read of the old one up to offset ${cursor.next} of partition ` +
      `${cursor.shard.partition} stays counted; resume with accept ["recreated"] to go on with the new one`,
  }
}

/** A record that on_error halt stops at. */
export function describeRecordError(cursor: ShardCursor, { offset, reason }: HaltedRecord): HaltReason {
  return {
    code: 'record_error',
    message:
      `the record at offset ${offset} of partition ${cursor.shard.partition}: ${reason}; ` +
      'resume with accept ["record_error"] to make it a dead letter',
    goOnAt: offset,
  }
}

/** Damage that a second look has confirmed, or a format that is not read. */
export function describeStop(stop: DecodeStop): HaltReason {
  const code = stop.code === 'codec' ? 'codec' : 'corrupt'
  const hint = code === 'corrupt' ? `; resume with accept ["corrupt"] to go on at offset ${stop.next}` : ''
  return { code, message: stop.message + hint, goOnAt: stop.next }
}
