import type { Api } from './api.ts'

/**
 * Version 4, of Kafka 2.4. We delete one topic at a time.
 *
 *   request  => [name STRING] timeout_ms INT32 tags
 *   answer   => throttle_time_ms INT32 [name STRING, error_code INT16, tags] tags
 */
export const DELETE_TOPICS: Api<{ name: string; timeoutMs: number }, { errorCode: number } | undefined> = {
  name: 'DeleteTopics',
  key: 20,
  version: 4,
  flexible: true,
  encode(writer, request) {
    writer.compactArray([request.name], (name) => writer.compactString(name))
    writer.int32(request.timeoutMs).noTags()
  },
  decode(reader) {
    reader.int32()
    return reader.compactArray(() => {
      reader.compactString()
      const result = { errorCode: reader.int16() }
      reader.skipTags()
      return result
    })[0]
  },
}
