/** The route of previews: what a rollup would make of some records, without creating it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { RollupdError } from '../../core/errors.ts'
import type { PreviewClient } from '../../service/preview/preview-client.ts'
import { type PreviewSource, SAMPLE_DEFAULT, SAMPLE_MAX } from '../../service/preview/preview-request.ts'
import { quoteName } from '../../sql/identifier.ts'
import { ErrorAnswer } from '../schemas.ts'
import { PreviewAnswer, PreviewBody } from '../preview-schemas.ts'
import { refuseLongStatement } from '../statement-limit.ts'
import { watchClient } from '../watch-client.ts'

export interface PreviewRoutesOptions {
  readonly previews: PreviewClient
  readonly statementCharactersMax: number
}

export const previewRoutes: FastifyPluginAsyncTypebox<PreviewRoutesOptions> = async (
  app,
  { previews, statementCharactersMax },
) => {
  app.post(
    '/v1/rollups/preview',
    {
      schema: {
        tags: ['rollups'],
        summary: 'What a rollup would make of some records',
        description: `Reads a sample of a topic (the newest ${SAMPLE_DEFAULT} records where nothing else is said), or takes the given records. Nothing is stored.`,
        body: PreviewBody,
        response: { 200: PreviewAnswer, '4xx': ErrorAnswer, '5xx': ErrorAnswer },
      },
      // the answer is text already, with all digits of its numbers
      serializerCompiler: () => (text) => text as string,
    },
    async (request, reply) => {
      const { sql, steps, on_error: onError } = request.body
      refuseLongStatement(sql, statementCharactersMax)
      const client = watchClient(reply)
      const preview = {
        sql,
        from: toSource(request.body),
        steps: steps ?? false,
        onError: onError ?? 'dead_letter',
        receivedAtMs: Date.now(),
      }
      const answer = await previews.run(preview, client.signal).finally(client.end)
      return await reply.type('application/json; charset=utf-8').send(answer as never)
    },
  )
}

type SourceOf = NonNullable<Static<typeof PreviewBody>['source']>

/** A rollup's groups need no sample: a query of the same words over all of them tells what the rollup would hold. */
function toTopic({ topic, start, rollup }: SourceOf): { readonly topic: string; readonly start?: SourceOf['start'] } {
  if (topic !== undefined && rollup === undefined) return { topic, start }
  if (rollup === undefined) {
    throw new RollupdError('bad_request', 'body/source: the field "topic" is missing', {
      hint: 'A preview reads a sample of a topic, {"topic", "start"?}.',
    })
  }
  throw new RollupdError('bad_request', 'body/source: a preview takes records, "rollup" names groups', {
    hint: `Send the statement to /v1/query instead, with FROM unfiltered(${quoteName(rollup)}): the answer is what a rollup of it holds at once. \`rollupd plan\` shows its halves.`,
  })
}

/** Errors: bad_request for both or neither of source and records, a source that is no topic, and texts that are no UTF-8. */
function toSource({ source, records, sample }: Static<typeof PreviewBody>): PreviewSource {
  if (source !== undefined && records === undefined) {
    const { topic, start = 'latest' } = toTopic(source)
    return { kind: 'topic', topic, start, sample: sample ?? SAMPLE_DEFAULT }
  }
  if (source !== undefined || records === undefined) {
    const what = source === undefined ? 'neither "source" nor "records" is given' : '"source" and "records" are given'
    throw new RollupdError('bad_request', `body: ${what}`, {
      hint: 'Send "source" for a sample of a topic, or "records" with the texts themselves.',
    })
  }
  const broken = records.findIndex((text) => !text.isWellFormed())
  if (broken >= 0) {
    throw new RollupdError('bad_request', `body/records/${broken}: holds a lone surrogate, which is no UTF-8`)
  }
  return { kind: 'records', values: records.slice(0, sample ?? SAMPLE_MAX) }
}
