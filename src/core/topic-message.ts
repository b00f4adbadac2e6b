/** Owns what both logs say of topics, so that nobody need know which one answers. */

export function noTopic(topic: string): string {
  return `there is no topic "${topic}"`
}

export function noPartition(topic: string, partition: number): string {
  return `topic "${topic}" has no partition ${partition}`
}

export function topicExists(topic: string): string {
  return `topic "${topic}" exists already`
}

/** `id`: what the topic of that name has now. */
export function topicIsAnother(topic: string, id: string): string {
  return `topic "${topic}" was deleted and created again: its id is ${id} now`
}
