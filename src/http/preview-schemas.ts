/** Owns the schemas of a preview's body and answer. */
import { Type } from 'typebox'
import { SAMPLE_DEFAULT, SAMPLE_MAX } from '../service/preview/preview-request.ts'
import { SourceBody } from './schemas.ts'

const closed = { additionalProperties: false } as const
const Row = Type.Record(Type.String(), Type.Unknown())

export const PreviewBody = Type.Object(
  {
    sql: Type.String({ minLength: 1 }),
    source: Type.Optional(SourceBody),
    records: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: SAMPLE_MAX,
        description: 'Values of records, instead of a source; their offsets count from 0',
      }),
    ),
    sample: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SAMPLE_MAX,
        description: `Records that are read at most; default ${SAMPLE_DEFAULT} of a topic, all of the given ones`,
      }),
    ),
    steps: Type.Optional(Type.Boolean({ description: 'Adds what each record changed' })),
    on_error: Type.Optional(Type.Union([Type.Literal('dead_letter'), Type.Literal('null')])),
  },
  closed,
)

export const PreviewAnswer = Type.Object({
  plan: Type.Object({
    ingest_sql: Type.String(),
    wrap_sql: Type.String(),
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), role: Type.String() })),
    partials: Type.Array(Type.Object({ column: Type.String(), call: Type.String(), state: Type.String() })),
  }),
  source_rows: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      offset: Type.Integer(),
      timestamp: Type.Union([Type.String(), Type.Null()]),
      value: Type.Optional(Type.String()),
      value_base64: Type.Optional(Type.String()),
      value_bytes: Type.Optional(Type.Integer({ description: 'Of a value that is shown in part' })),
      outcome: Type.String({ description: 'aggregated, filtered or rejected' }),
      group: Type.Optional(Row),
      partials: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Of this record alone' })),
      more_groups: Type.Optional(
        Type.Array(Type.Object({ group: Row, partials: Type.Record(Type.String(), Type.Unknown()) }), {
          description: 'The others, of a record that goes to several',
        }),
      ),
      code: Type.Optional(Type.String()),
      reason: Type.Optional(Type.String()),
    }),
  ),
  groups: Type.Array(Row, { description: 'What the rollup would answer' }),
  hidden_groups: Type.Array(Row, { description: "Groups that HAVING doesn't let through" }),
  steps: Type.Optional(
    Type.Array(
      Type.Object({
        record: Type.Integer({ description: 'Index in source_rows' }),
        group_count: Type.Integer(),
        id: Type.Optional(Type.String()),
        is_new: Type.Optional(Type.Boolean()),
        is_hidden: Type.Optional(Type.Boolean()),
        row: Type.Optional(Row),
        changed: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  ),
  rejected: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      offset: Type.Integer(),
      code: Type.String(),
      reason: Type.String(),
      position: Type.Optional(Type.Integer({ description: '1-based character of the statement' })),
    }),
  ),
  filtered: Type.Integer(),
  fields: Type.Array(
    Type.Object({
      path: Type.String(),
      share: Type.Number({ description: 'Of the records that are JSON objects' }),
      kinds: Type.Record(Type.String(), Type.Number(), { description: 'Share of each kind' }),
    }),
  ),
  warnings: Type.Array(Type.String()),
  errors: Type.Optional(Type.Array(Type.Unknown(), { description: 'Cells of groups that have no value' })),
})
