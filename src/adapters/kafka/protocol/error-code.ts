/** Owns the numbers of Kafka's errors that this adapter tells apart. */

/** Source: org.apache.kafka.common.protocol.Errors. */
export const KAFKA_ERRORS = {
  none: 0,
  offset_out_of_range: 1,
  unknown_topic_or_partition: 3,
  leader_not_available: 5,
  not_leader_or_follower: 6,
  request_timed_out: 7,
  replica_not_available: 9,
  message_too_large: 10,
  network_exception: 13,
  coordinator_load_in_progress: 14,
  coordinator_not_available: 15,
  not_coordinator: 16,
  invalid_topic: 17,
  record_list_too_large: 18,
  not_enough_replicas: 19,
  not_enough_replicas_after_append: 20,
  topic_authorization_failed: 29,
  group_authorization_failed: 30,
  cluster_authorization_failed: 31,
  invalid_timestamp: 32,
  unsupported_version: 35,
  topic_already_exists: 36,
  invalid_partitions: 37,
  invalid_replication_factor: 38,
  not_controller: 41,
  invalid_request: 42,
  policy_violation: 44,
  storage_error: 56,
  topic_deletion_disabled: 73,
  fenced_leader_epoch: 74,
  unknown_leader_epoch: 76,
  offset_not_available: 78,
  invalid_record: 87,
  unknown_topic_id: 100,
  inconsistent_topic_id: 103,
} as const

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(KAFKA_ERRORS).map(([name, code]) => [code, name]))

/** For messages: `not_leader_or_follower (6)`. */
export function nameOfKafkaError(code: number): string {
  return `${NAMES.get(code) ?? 'error'} (${code})`
}
