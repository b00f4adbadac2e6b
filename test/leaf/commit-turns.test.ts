/** When commits are taken up: at once, unless a large batch of another ingest thread is due. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CommitTurns } from '../../src/leaf/commit-turns.ts'

const LARGE = 10_000
let taken = 0
let turns: CommitTurns<string>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] })
  taken = 0
  turns = new CommitTurns(() => taken++)
})

afterEach(() => {
  vi.useRealTimers()
})

/** How many times commits were taken up once all messages of this turn have come. */
function takenAtOnce(): number {
  const before = taken
  vi.advanceTimersByTime(0)
  return taken - before
}

/** Both have sent a large batch then, and are expected to send another. */
function commitTogether(): void {
  turns.note('a', LARGE)
  turns.note('b', LARGE)
  expect(takenAtOnce()).toBe(1)
}

test('what comes in one turn is taken up together and at once, and a lone sender never waits', () => {
  turns.note('a', 3)
  turns.note('b', LARGE)
  expect(takenAtOnce()).toBe(1)
  turns.note('a', 3)
  expect(takenAtOnce()).toBe(1)
  turns = new CommitTurns(() => taken++)
  for (let round = 0; round < 3; round++) {
    turns.note('a', LARGE)
    expect(takenAtOnce()).toBe(1)
  }
})

test('a large batch waits for the other sender of large ones, for a moment, and not a second time in vain', () => {
  commitTogether()
  turns.note('a', LARGE)
  expect(takenAtOnce()).toBe(0)
  turns.note('b', LARGE)
  expect(takenAtOnce()).toBe(1)
  turns.note('b', LARGE)
  expect(takenAtOnce()).toBe(0)
  vi.advanceTimersByTime(20)
  expect(taken).toBe(3)
  turns.note('b', LARGE)
  expect(takenAtOnce()).toBe(1)
})

test('a small batch is taken up at once, with all that wait, and nobody waits for who has gone', () => {
  commitTogether()
  turns.note('a', LARGE)
  turns.note('c', 1)
  expect(takenAtOnce()).toBe(1)
  commitTogether()
  turns.forget('b')
  turns.note('a', LARGE)
  expect(takenAtOnce()).toBe(1)
  vi.advanceTimersByTime(100)
  expect(taken).toBe(4)
})
