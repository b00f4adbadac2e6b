/** Routes of rollups. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from 'typebox'
import { RollupdError } from '../../core/errors.ts'
import type { StoredDeadLetter } from '../../leaf/leaf-store.ts'
import type { CreateRollupRequest } from '../../service/rollup-definition.ts'
import type { RollupService } from '../../service/rollup-service.ts'
import {
  CreateRollupBody,
  DeadLettersAnswer,
  DeadLettersQuery,
  EmptyBody,
  ErrorAnswer,
  NameParams,
  PruneAnswer,
  PruneBody,
  ResumeBody,
  RollupAnswerSchema,
  RollupList,
} from '../schemas.ts'
import { refuseLongStatement } from '../statement-limit.ts'

export interface RollupRoutesOptions {
  readonly rollups: RollupService
  readonly statementCharactersMax: number
}

export const rollupRoutes: FastifyPluginAsyncTypebox<RollupRoutesOptions> = async (
  app,
  { rollups, statementCharactersMax },
) => {
  const tags = ['rollups']

  app.post(
    '/v1/rollups',
    {
      schema: {
        tags,
        summary: 'Create a rollup',
        body: CreateRollupBody,
        response: { 201: RollupAnswerSchema, '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request, reply) => {
      refuseLongStatement(request.body.sql, statementCharactersMax)
      const created = await rollups.create({ ...request.body, source: toSource(request.body.source) })
      return await reply.code(201).send(created as never)
    },
  )

  app.get(
    '/v1/rollups',
    { schema: { tags, summary: 'All rollups', response: { 200: RollupList } } },
    async () => ({ rollups: await rollups.list() }) as never,
  )

  app.get(
    '/v1/rollups/:name',
    {
      schema: {
        tags,
        summary: 'One rollup',
        params: NameParams,
        response: { 200: RollupAnswerSchema, 404: ErrorAnswer },
      },
    },
    async (request) => (await rollups.get(request.params.name)) as never,
  )

  app.delete(
    '/v1/rollups/:name',
    {
      schema: {
        tags,
        summary: 'Drop a rollup',
        description:
          'Its states and positions are gone; a new one of that name starts afresh. Refused while a view reads it.',
        params: NameParams,
        response: { 204: Type.Null(), '4xx': ErrorAnswer },
      },
    },
    async (request, reply) => {
      await rollups.drop(request.params.name)
      return await reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/rollups/:name/pause',
    {
      schema: {
        tags,
        summary: 'Read no more until resumed',
        params: NameParams,
        body: Type.Optional(Type.Union([EmptyBody, Type.Null()])),
        response: { 200: RollupAnswerSchema, 404: ErrorAnswer },
      },
    },
    async (request) => (await rollups.pause(request.params.name)) as never,
  )

  app.post(
    '/v1/rollups/:name/resume',
    {
      schema: {
        tags,
        summary: 'Go on reading',
        description: 'Without a body halted shards are tried again; `accept` names the codes to go on past.',
        params: NameParams,
        body: Type.Optional(Type.Union([ResumeBody, Type.Null()])),
        response: { 200: RollupAnswerSchema, '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request) => (await rollups.resume(request.params.name, request.body?.accept ?? [])) as never,
  )

  app.get(
    '/v1/rollups/:name/dead-letters',
    {
      schema: {
        tags,
        summary: 'Records that could not be evaluated',
        params: NameParams,
        querystring: DeadLettersQuery,
        response: { 200: DeadLettersAnswer, 404: ErrorAnswer },
      },
    },
    async (request) => {
      const { limit, after } = request.query
      const letters = await rollups.listDeadLetters(request.params.name, limit, after)
      const last = letters.at(-1)
      return {
        dead_letters: letters.map(toShownLetter),
        ...(letters.length === limit && last !== undefined ? { next_after: last.id } : {}),
      }
    },
  )

  app.post(
    '/v1/rollups/:name/shards/prune',
    {
      schema: {
        tags,
        summary: "Remove positions of shards that can't get records any more",
        params: NameParams,
        body: Type.Optional(Type.Union([PruneBody, Type.Null()])),
        response: { 200: PruneAnswer, '4xx': ErrorAnswer, 503: ErrorAnswer },
      },
    },
    async (request) => {
      const isDryRun = request.body?.dry_run ?? false
      return { dry_run: isDryRun, removed: await rollups.prune(request.params.name, isDryRun) }
    },
  )
}

function toShownLetter({ id, topic, partition, offset, timestampMs, code, reason, value }: StoredDeadLetter) {
  return {
    id,
    topic,
    partition,
    offset,
    timestamp: toIsoTime(timestampMs),
    code,
    reason,
    ...toShownValue(value),
  }
}

/** A record's timestamp may be any number. */
function toIsoTime(timestampMs: number): string | null {
  const date = new Date(timestampMs)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

function toShownValue(value: Uint8Array | null): { value?: string; value_base64?: string } {
  if (value === null) return {}
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value) }
  } catch {
    return { value_base64: Buffer.from(value).toString('base64') }
  }
}

/** Errors: bad_request for both or neither of topic and rollup, and for a start without a topic. */
function toSource({ topic, start, rollup }: Static<typeof CreateRollupBody>['source']): CreateRollupRequest['source'] {
  if (topic !== undefined && rollup === undefined) return start === undefined ? { topic } : { topic, start }
  if (rollup !== undefined && topic === undefined && start === undefined) return { rollup }
  const what =
    topic !== undefined
      ? '"topic" and "rollup" are given'
      : rollup === undefined
        ? 'the field "topic" is missing'
        : '"start" goes with "topic" only'
  throw new RollupdError('bad_request', `body/source: ${what}`, {
    hint: 'A rollup reads a topic, {"topic", "start"?}, or the groups of another rollup, {"rollup"}.',
  })
}
