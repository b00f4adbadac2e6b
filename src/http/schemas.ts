/** Owns the schemas of bodies and answers: they validate, and make the OpenAPI document. */
import { Type } from 'typebox'
import { COUNT_NAMES } from '../core/shard.ts'
import { PARTITIONS_MAX, TOPIC_NAME_LENGTH_MAX } from '../core/topic-name.ts'

const closed = { additionalProperties: false } as const
const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const OffsetsByPartition = Type.Record(Type.String({ pattern: '^\\d{1,9}$' }), Offset)
const ReasonAnswer = Type.Object({ code: Type.String(), message: Type.String() })

export const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
    position: Type.Optional(Type.Integer({ description: '1-based character of the statement' })),
    detail: Type.Optional(Type.Unknown()),
  }),
})

const StartBody = Type.Union(
  [
    Type.Literal('earliest'),
    Type.Literal('latest'),
    Type.Object({ timestamp: Type.String() }, closed),
    Type.Object({ offsets: OffsetsByPartition }, closed),
  ],
  { description: 'Resolved to offsets and stored before the answer. A timestamp is a position, not a filter.' },
)

/** Exactly one of topic and rollup: the route says so in fewer words than a union of shapes. */
export const SourceBody = Type.Object(
  {
    topic: Type.Optional(Type.String({ minLength: 1 })),
    start: Type.Optional(StartBody),
    rollup: Type.Optional(
      Type.String({ minLength: 1, description: 'Instead of a topic: the rollup whose groups are regrouped' }),
    ),
  },
  closed,
)

export const CreateRollupBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    sql: Type.String({ minLength: 1 }),
    source: SourceBody,
    on_error: Type.Optional(Type.Union([Type.Literal('dead_letter'), Type.Literal('null'), Type.Literal('halt')])),
    on_loss: Type.Optional(Type.Union([Type.Literal('halt'), Type.Literal('accept')])),
    indexes: Type.Optional(Type.Array(Type.Array(Type.String(), { minItems: 1 }), { maxItems: 16 })),
  },
  closed,
)

const CountsAnswer = Type.Object(Object.fromEntries(COUNT_NAMES.map((name) => [name, Type.Integer()])))

export const RollupAnswerSchema = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  sql: Type.String(),
  source: Type.Object({ rollup: Type.Optional(Type.String()), topic: Type.String(), start: Type.Unknown() }),
  on_error: Type.String(),
  on_loss: Type.String(),
  indexes: Type.Array(Type.Array(Type.String())),
  status: Type.String({ description: 'running, paused or halted' }),
  reason: Type.Optional(ReasonAnswer),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), role: Type.String() })),
  ingest_sql: Type.String(),
  wrap_sql: Type.String(),
  partials: Type.Array(Type.Object({ column: Type.String(), call: Type.String(), state: Type.String() })),
  warnings: Type.Array(Type.String()),
  created_at: Type.String(),
  groups: Type.Integer(),
  bytes: Type.Integer(),
  counts: CountsAnswer,
  shards: Type.Array(
    Type.Object({
      topic_id: Type.String(),
      partition: Type.Integer(),
      status: Type.String({ description: 'waiting, reading, halted or closed' }),
      reason: Type.Optional(ReasonAnswer),
      start_offset: Type.Integer(),
      next_offset: Type.Integer(),
      high_watermark: Type.Union([Type.Integer(), Type.Null()]),
      lag: Type.Union([Type.Integer(), Type.Null()]),
      lag_seconds: Type.Union([Type.Number(), Type.Null()]),
      blocked_by_transaction: Type.Boolean(),
      counts: CountsAnswer,
    }),
  ),
  pruned: Type.Object({ shards: Type.Integer(), passed: Type.Integer(), counts: CountsAnswer }),
})

export const RollupList = Type.Object({ rollups: Type.Array(RollupAnswerSchema) })
export const NameParams = Type.Object({ name: Type.String() })
/** A field that isn't known is refused here too. */
export const EmptyBody = Type.Object({}, closed)
export const ResumeBody = Type.Object({ accept: Type.Optional(Type.Array(Type.String())) }, closed)
export const PruneBody = Type.Object({ dry_run: Type.Optional(Type.Boolean()) }, closed)
export const PruneAnswer = Type.Object({
  dry_run: Type.Boolean(),
  removed: Type.Array(
    Type.Object({
      topic_id: Type.String(),
      partition: Type.Integer(),
      start_offset: Type.Integer(),
      next_offset: Type.Integer(),
    }),
  ),
})

export const DeadLettersQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    after: Type.Integer({ minimum: 0, default: 0 }),
  },
  closed,
)
export const DeadLettersAnswer = Type.Object({
  dead_letters: Type.Array(
    Type.Object({
      id: Type.Integer(),
      topic: Type.String(),
      partition: Type.Integer(),
      offset: Type.Integer(),
      timestamp: Type.Union([Type.String(), Type.Null()]),
      code: Type.String(),
      reason: Type.String(),
      value: Type.Optional(Type.String()),
      value_base64: Type.Optional(Type.String()),
    }),
  ),
  next_after: Type.Optional(Type.Integer()),
})

export const QueryBody = Type.Object(
  {
    sql: Type.String({ minLength: 1 }),
    params: Type.Optional(
      Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())], {
        description: 'An array for $1, $2 ..., an object for :name',
      }),
    ),
    at_least: Type.Optional(
      Type.Record(Type.String(), OffsetsByPartition, {
        description: 'Next offsets by topic and partition that the answer must contain',
      }),
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 0 })),
    big_numbers: Type.Optional(Type.Union([Type.Literal('number'), Type.Literal('string')])),
    on_cell_error: Type.Optional(Type.Union([Type.Literal('fail'), Type.Literal('null')])),
  },
  closed,
)

export const PutViewBody = Type.Object({ sql: Type.String({ minLength: 1 }) }, closed)
export const ViewAnswerSchema = Type.Object({
  name: Type.String(),
  sql: Type.String(),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  reads: Type.Array(Type.String(), { description: 'Names of the rollups and views in the statement' }),
  created_at: Type.String(),
})
export const ViewList = Type.Object({ views: Type.Array(ViewAnswerSchema) })

export const CreateTopicBody = Type.Object(
  {
    topic: Type.String({ minLength: 1, maxLength: TOPIC_NAME_LENGTH_MAX }),
    partitions: Type.Integer({ minimum: 1, maximum: PARTITIONS_MAX }),
  },
  closed,
)
export const TopicParams = Type.Object({ topic: Type.String() })
export const TopicAnswer = Type.Object({
  topic: Type.String(),
  id: Type.String(),
  partitions: Type.Array(
    Type.Object({ partition: Type.Integer(), start_offset: Type.Integer(), end_offset: Type.Integer() }),
  ),
})
export const TopicList = Type.Object({ topics: Type.Array(TopicAnswer) })
export const ProduceQuery = Type.Object(
  {
    partition: Type.Optional(Type.Integer({ minimum: 0 })),
    format: Type.Optional(Type.Literal('envelope')),
  },
  closed,
)
export const ProduceAnswer = Type.Object({
  offsets: Type.Record(
    Type.String(),
    Type.Object({ first: Type.Integer(), last: Type.Integer(), next: Type.Integer() }),
  ),
})
