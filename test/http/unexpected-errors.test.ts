/** An error that nobody expects is an answer too, and doesn't quote the inside of the program. */
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { sendError } from '../../src/http/error-answers.ts'

test('a broken invariant is internal, and logged', async () => {
  const logged: string[] = []
  const app = fastify({ logger: { level: 'error', stream: { write: (line) => void logged.push(line) } } })
  app.setErrorHandler(sendError)
  app.get('/', () => {
    throw new TypeError('secret is undefined')
  })
  const answer = await app.inject('/')
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toMatchObject({ error: { code: 'internal' } })
  expect(answer.body).not.toContain('secret')
  expect(logged.join()).toContain('secret is undefined')
})
