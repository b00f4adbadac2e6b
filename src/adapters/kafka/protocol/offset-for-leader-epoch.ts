import type { Api } from './api.ts'

export interface EpochQuestion {
  readonly topic: string
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly leaderEpoch: number
}

export interface EpochAnswer {
  readonly errorCode: number
  /** The largest epoch <= the asked one that the leader knows; -1: none. */
  readonly leaderEpoch: number
  /** Where that epoch ends; -1: unknown. */
  readonly endOffset: number
}

const NO_REPLICA = -1

/**
 * Version 4 (KIP-320). We ask for one partition at a time.
 *
 *   request  => replica_id INT32 [topic STRING, [partition INT32, current_leader_epoch INT32, leader_epoch INT32, tags], tags] tags
 *   answer   => throttle_time_ms INT32 [topic STRING, [error_code INT16, partition INT32, leader_epoch INT32, end_offset INT64, tags], tags] tags
 */
export const OFFSET_FOR_LEADER_EPOCH: Api<EpochQuestion, EpochAnswer | undefined> = {
  name: 'OffsetForLeaderEpoch',
  key: 23,
  version: 4,
  flexible: true,
  encode(writer, question) {
    writer.int32(NO_REPLICA)
    writer.compactArray([question], () => {
      writer.compactString(question.topic)
      writer.compactArray([question], () => {
        writer.int32(question.partition).int32(question.currentLeaderEpoch).int32(question.leaderEpoch).noTags()
      })
      writer.noTags()
    })
    writer.noTags()
  },
  decode(reader) {
    reader.int32()
    const topics = reader.compactArray(() => {
      reader.compactString()
      const answers = reader.compactArray(() => {
        const errorCode = reader.int16()
        reader.int32()
        const answer = { errorCode, leaderEpoch: reader.int32(), endOffset: reader.int64() }
        reader.skipTags()
        return answer
      })
      reader.skipTags()
      return answers
    })
    return topics[0]?.[0]
  },
}
