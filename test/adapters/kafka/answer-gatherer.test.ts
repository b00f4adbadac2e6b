/** Answers come whole out of any pieces, and their bytes stay as long as they are promised to. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AnswerGatherer, DoubleBuffer } from '../../../src/adapters/kafka/answer-gatherer.ts'

function frame(body: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4 + body.length)
  bytes.writeInt32BE(body.length)
  bytes.set(body, 4)
  return bytes
}

test('answers come whole, in order, out of any pieces', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 8 })
  const cuts = fc.array(fc.nat(200), { maxLength: 20 })
  fc.assert(
    fc.property(bodies, cuts, (list, at) => {
      const answers: string[] = []
      const gatherer = new AnswerGatherer((answer) => answers.push(answer.toString('hex')))
      gatherer.buffers = new DoubleBuffer()
      const stream = Buffer.concat(list.map(frame))
      const borders = [0, ...at.filter((cut) => cut < stream.length).toSorted((a, b) => a - b), stream.length]
      for (let index = 1; index < borders.length; index++) {
        // the socket's buffer is used again for the next piece
        const piece = Buffer.from(stream.subarray(borders[index - 1], borders[index]))
        gatherer.add(piece)
        piece.fill(0xee)
      }
      expect(answers).toEqual(list.map((body) => frame(body).toString('hex')))
    }),
  )
})

test('an answer stays until the second large one behind it; small ones take no turn', () => {
  const answers: Buffer[] = []
  const gatherer = new AnswerGatherer((answer) => answers.push(answer))
  gatherer.buffers = new DoubleBuffer()
  const large = (byte: number) => frame(Buffer.alloc(100_000, byte))
  for (const answer of [large(1), frame(Buffer.from('login')), large(2), frame(Buffer.from('login'))])
    gatherer.add(answer)
  expect(answers[0]?.equals(large(1))).toBe(true)
  gatherer.add(large(3))
  expect(answers[2]?.equals(large(2))).toBe(true)
  expect(answers[3]?.subarray(4).toString()).toBe('login')
  expect(answers[4]?.buffer).toBe(answers[0]?.buffer)
})

test('a length that no answer has is an error', () => {
  expect(() => new AnswerGatherer(() => {}).add(Buffer.from([0xff, 0xff, 0xff, 0xfe]))).toThrow('-2')
})
