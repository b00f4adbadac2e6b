/**
 * Owns random expressions by type: leaves of records or of groups, calls chosen from the function table's own signatures, CASE,
 * COALESCE, IN, BETWEEN, AND, OR, aggregates. Arguments are mostly of what the call takes, so that most records live.
 */
import { isTimeType, NUMBER_TYPES, type ScalarType } from '../../src/core/scalar-type.ts'
import { AGGREGATES as DEFINITIONS } from '../../src/aggregates/aggregate-table.ts'
import type { AggregateParameterKind } from '../../src/aggregates/aggregate.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { aggregateId } from './coverage.ts'
import { exactDouble, firstField, type Dialect } from './dialect.ts'
import {
  aggregateFlavours,
  CASTABLE,
  isReadOnce,
  randomLiteral,
  SCALAR_FLAVOURS,
  smallLiteral,
  wantedFlavours,
  wordsOf,
  writtenArgument,
} from './random-arguments.ts'
import { isOrderStatistic } from './naive-order-statistics.ts'
import type { Flavour } from './random-values.ts'
import { FUNCTION_IDS, SIGNATURES, type Signature } from './signatures.ts'
import {
  call,
  castTo,
  type AggregateNode,
  type FieldNode,
  type LiteralNode,
  type Node,
  type OrderItem,
} from './syntax.ts'

export interface FieldInfo {
  readonly path: FieldNode['path']
  readonly flavour: Flavour
}

/** Forms that aren't in the function table. */
export const FORMS = ['and', 'or', 'case', 'coalesce', 'try', 'in', 'between'] as const
/** Those whose type is that of their parts. */
const ALTERNATIVES = ['case', 'coalesce', 'try'] as const
export type Form = (typeof FORMS)[number]
/** All that an expression can be asked to hold. */
export const FEATURES: readonly string[] = [
  ...[...FUNCTION_IDS, ...FORMS],
  ...DEFINITIONS.map(({ name, form }) => aggregateId(name, form === 'distinct')),
]

export const VALUE_TYPES: readonly ScalarType[] = [
  'any',
  'boolean',
  'bigint',
  'double precision',
  'number',
  'numeric',
  'text',
  'timestamptz',
  'jsonb',
  'timestamp',
  'date',
  'interval',
]

/** Those that may stand beside an undeclared value. */
const RECORD_TYPES = VALUE_TYPES.filter((type) => !isTimeType(type) && type !== 'interval')

const BY_ID = Map.groupBy(SIGNATURES, ({ id }) => id)
const BY_TYPE = Map.groupBy(SIGNATURES, ({ type }) => type)

/** None of a star, one, or two. */
const ARGUMENT_LISTS: readonly (readonly ScalarType[])[] = [
  [],
  ...VALUE_TYPES.map((type) => [type]),
  ...VALUE_TYPES.flatMap((type) => VALUE_TYPES.map((second) => [type, second])),
]
interface AggregateChoice {
  readonly id: string
  readonly name: string
  readonly distinct: boolean
  readonly args: readonly ScalarType[]
  /** `fractions`: several of them; `width`: of a histogram's buckets. */
  readonly parameter: AggregateParameterKind | 'fractions' | 'width' | undefined
  readonly ordered: boolean
  readonly type: ScalarType
}

const AGGREGATES: readonly AggregateChoice[] = DEFINITIONS.flatMap((definition) =>
  ARGUMENT_LISTS.flatMap((args): AggregateChoice[] => {
    const { name, form } = definition
    const aggregate = definition.resolve(args)
    if (aggregate === undefined) return []
    const distinct = form === 'distinct'
    const { parameter, ordered = false, bucketed = false } = definition
    const one = { id: aggregateId(name, distinct), name, distinct, args, parameter, ordered, type: aggregate.type }
    if (parameter === 'fraction' || parameter === 'quantile')
      return [one, { ...one, parameter: 'fractions', type: 'jsonb' }]
    const takesWidth = bucketed && args.every((type) => type === 'any' || NUMBER_TYPES.has(type))
    return takesWidth ? [one, { ...one, parameter: 'width' }] : [one]
  }),
)

/** Parameters of a percentile. */
const FRACTIONS = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1]
/** Those at which no engine rounds a place on the way. */
const BINARY_FRACTIONS = [0, 0.25, 0.5, 0.75, 1]
const BUCKET_WIDTHS = [1, 10, 0.1, 2.5, 3]
const SEPARATORS = [',', '', ', ', "'", 'ä']
const ORDER_KEYS_MAX = 2

/** Where expressions stand: over a record, or over a group's values. */
export interface Ground {
  readonly fields: readonly FieldInfo[]
  /** Undefined over records. */
  readonly groups: readonly Node[] | undefined
  /** An engine that must mean the same: no more than it allows, and every field is cast. */
  readonly dialect?: Dialect
}

export class RandomExpressions {
  readonly random: SeededRandom
  readonly #ground: Ground
  readonly #records: RandomExpressions
  readonly #types: readonly ScalarType[]

  constructor(random: SeededRandom, ground: Ground) {
    this.random = random
    this.#ground = ground
    this.#types = ground.dialect?.types ?? VALUE_TYPES
    this.#records = ground.groups === undefined ? this : new RandomExpressions(random, { ...ground, groups: undefined })
  }

  /** Whether an engine is asked too. */
  get isForEngine(): boolean {
    return this.#ground.dialect !== undefined
  }

  /** An expression of that type. */
  ofType(type: ScalarType, depth: number, wanted: readonly Flavour[] = []): Node {
    const { random } = this
    if (depth <= 0 || random.chance(0.3)) return this.#leaf(type, wanted)
    if (random.chance(0.2)) return this.#form(random.pick(type === 'boolean' ? FORMS : ALTERNATIVES), type, depth)
    const signatures = this.#possible(BY_TYPE.get(type) ?? [])
    if (signatures.length === 0) return this.#leaf(type, wanted)
    const { id } = random.pick(signatures)
    return this.#call(random.pick(signatures.filter((one) => one.id === id)), depth)
  }

  /** An expression with that feature at its root; undefined where it can't stand here. */
  withFeature(feature: string, depth: number): Node | undefined {
    const { random } = this
    if ((FORMS as readonly string[]).includes(feature)) {
      return this.#form(feature as Form, random.pick(this.#types), depth)
    }
    if (AGGREGATES.some(({ id }) => id === feature)) {
      return this.#ground.groups === undefined ? undefined : this.#aggregate(feature, undefined, depth)
    }
    const signatures = this.#possible(BY_ID.get(feature) ?? [])
    return signatures.length === 0 ? undefined : this.#call(random.pick(signatures), depth)
  }

  #possible(signatures: readonly Signature[]): readonly Signature[] {
    const { dialect, groups } = this.#ground
    if (dialect !== undefined) {
      // no field is a numeric: sums are
      return signatures.filter((one) => dialect.allows(one) && (groups !== undefined || !one.args.includes('numeric')))
    }
    return signatures
  }

  #call({ id, args, type }: Signature, depth: number): Node {
    const flavours = wantedFlavours(id)
    const nodes = args.map(
      (arg, index) =>
        this.#wordOf(id, index, args) ?? this.#argument(id, index, arg, depth - 1, flavours?.[index] ?? []),
    )
    return { kind: 'call', id, args: nodes, type }
  }

  /** A field or unit that is written out must be one of the type; undefined: any word, or none. */
  #wordOf(id: string, index: number, [, subject]: readonly ScalarType[]): Node | undefined {
    const isLoose = this.#ground.dialect === undefined
    const isOfDialect = !isLoose && subject === 'timestamptz'
    const words = index === 0 && !isOfDialect ? wordsOf(id, subject) : undefined
    return words === undefined ||
      (isLoose && id !== 'extract' && id !== 'date_trunc_interval' && this.random.chance(0.2))
      ? undefined
      : { kind: 'literal', type: 'text', value: this.random.pick(words) }
  }

  #argument(id: string, index: number, type: ScalarType, depth: number, wanted: readonly Flavour[]): Node {
    const { dialect } = this.#ground
    if (dialect !== undefined) {
      // what such a quotient is divided by would show how many zeros it ended with
      const given = dialect.argument(id, index, this.random)
      const fits = given !== undefined && (given.kind === 'literal' || this.#ground.groups === undefined)
      if (fits) return given
      const made = this.ofType(type, id === 'divide_exact' ? 0 : depth)
      return isReadByGrammar(id) && made.kind === 'literal' ? this.#held(type, []) : made
    }
    const special =
      type === 'text' || type === 'bigint' || type === 'interval'
        ? writtenArgument(this.random, id, index, type)
        : undefined
    if (special !== undefined) return special
    const node = this.ofType(type, depth, wanted)
    // a unit, pattern or path that is written out is read by the analyser: it must be one
    if (node.kind === 'literal' && node.value !== null && isReadOnce(id, index)) return this.#held(type, wanted)
    if (!isReadByGrammar(id) || node.kind !== 'literal') return node
    return type === 'numeric'
      ? call('operator', '+', [node, smallLiteral(this.random, 0, 2)])
      : this.#held(type, wanted)
  }

  #form(form: Form, type: ScalarType, depth: number): Node {
    const { random } = this
    const inner = depth - 1
    switch (form) {
      case 'and':
      case 'or':
        return { kind: form, type: 'boolean', args: this.#many(2, 3, () => apart(this.condition(inner), form)) }
      case 'case': {
        const compared = random.chance(0.3) ? random.pick(this.#types) : undefined
        const operand = compared === undefined ? null : this.ofType(compared, inner)
        const whens = this.#many(1, 3, (index) => ({
          when: compared === undefined ? this.condition(inner) : this.ofType(compared, inner),
          result: this.#alternative(type, inner, index),
        }))
        const otherwise = random.chance(0.6) ? this.#alternative(type, inner, 1) : null
        return { kind: 'case', type, operand, whens, otherwise }
      }
      case 'coalesce':
        return { kind: 'coalesce', type, args: this.#many(2, 3, (index) => this.#alternative(type, inner, index)) }
      case 'try':
        // engines have no such call
        return this.#ground.dialect === undefined
          ? { kind: 'try', type, argument: this.ofType(type, inner) }
          : this.#form('coalesce', type, depth)
      case 'in': {
        const compared = random.pick(this.#types)
        const item = (): Node | null => {
          if (random.chance(0.1)) return null
          return this.#literalOr(compared === 'any' ? random.pick(['text', 'bigint', 'any'] as const) : compared, inner)
        }
        const list = [this.#literalOr(compared, inner), ...this.#many(0, 3, item)]
        return {
          kind: 'in',
          type: 'boolean',
          argument: this.ofType(compared, inner),
          list,
          negated: random.chance(0.3),
        }
      }
      case 'between': {
        const compared = random.pick(this.#types)
        const [argument, low, high] = [
          this.ofType(compared, inner),
          this.#literalOr(compared, inner),
          this.#literalOr(compared, inner),
        ]
        return {
          kind: 'between',
          type: 'boolean',
          argument,
          low,
          high,
          negated: random.chance(0.3),
          symmetric: this.#ground.dialect?.allowsSymmetric !== false && random.chance(0.3),
        }
      }
    }
  }

  /** A branch: of the type, or of one that becomes it. The first is of the type, so that it is the common one. */
  #alternative(type: ScalarType, depth: number, index: number): Node {
    const { random } = this
    if (index === 0) return this.ofType(type, depth)
    if (type === 'any' && random.chance(0.3)) return this.ofType(random.pick(RECORD_TYPES), depth)
    if (type === 'double precision' && random.chance(0.2)) return this.ofType('bigint', depth)
    if (type === 'number' && random.chance(0.3)) return this.ofType(random.pick(['bigint', 'double precision']), depth)
    return this.ofType(type, depth)
  }

  #many<T>(from: number, to: number, make: (index: number) => T): T[] {
    return Array.from({ length: from + this.random.below(to - from + 1) }, (_, index) => make(index))
  }

  /** A boolean, or an undeclared value that mostly is one. */
  condition(depth: number): Node {
    const undeclared = this.#ground.dialect === undefined && this.random.chance(0.15)
    return undeclared ? this.ofType('any', 0, ['boolean']) : this.ofType('boolean', depth)
  }

  #literalOr(type: ScalarType, depth: number): Node {
    return (this.random.chance(0.6) ? this.#literal(type) : undefined) ?? this.ofType(type, depth)
  }

  #leaf(type: ScalarType, wanted: readonly Flavour[]): Node {
    const literal = this.random.chance(0.2) ? this.#literal(type) : undefined
    if (literal !== undefined && (type !== 'numeric' || this.#ground.groups === undefined || this.random.chance(0.2)))
      return literal
    return this.#held(type, wanted)
  }

  /** A leaf that isn't written out. */
  #held(type: ScalarType, wanted: readonly Flavour[]): Node {
    return this.#ground.groups === undefined ? this.#ofRecord(type, wanted) : this.#ofGroup(type, wanted)
  }

  #ofRecord(type: ScalarType, wanted: readonly Flavour[]): Node {
    const { random } = this
    const { dialect } = this.#ground
    if (dialect !== undefined) {
      // no engine's column keeps the digits of a record's decimals: whole numbers serve
      if (type === 'numeric') return castTo('numeric', castTo('bigint', firstField(dialect, 'bigint')))
      const { name } = random.pick(dialect.fields.filter((field) => field.type === type))
      return castTo(type, { kind: 'field', type: 'any', path: [name] })
    }
    switch (type) {
      case 'any':
        return this.#field(wanted)
      case 'number':
        return call('function', random.pick(['abs', 'floor', 'round']), [this.#field(['small', 'double', 'number'])])
      default: {
        const meta = random.chance(0.1) ? METADATA.filter((one) => one.type === type) : []
        if (meta.length > 0) return { kind: 'meta', ...random.pick(meta) }
        const castable = CASTABLE[type] ?? []
        const both = wanted.filter((flavour) => castable.includes(flavour))
        const field = this.#field(random.chance(0.93) ? (both.length > 0 ? both : castable) : [])
        return castTo(type, field)
      }
    }
  }

  #field(wanted: readonly Flavour[]): FieldNode {
    const { fields } = this.#ground
    const fitting = fields.filter(({ flavour }) => wanted.includes(flavour))
    const { path } = this.random.pick(fitting.length > 0 && this.random.chance(0.92) ? fitting : fields)
    return { kind: 'field', type: 'any', path }
  }

  #ofGroup(type: ScalarType, wanted: readonly Flavour[]): Node {
    const groups = (this.#ground.groups ?? []).flatMap((expression, index) =>
      expression.type === type ? [{ kind: 'group', type, index, expression } as const] : [],
    )
    if (groups.length > 0 && this.random.chance(0.5)) return this.random.pick(groups)
    return (
      this.#aggregate(undefined, type, 1, wanted) ??
      (groups.length > 0 ? this.random.pick(groups) : (this.#literal(type) as Node))
    )
  }

  #aggregate(id: string, type: undefined, depth: number): AggregateNode
  #aggregate(id: undefined, type: ScalarType, depth: number, wanted: readonly Flavour[]): AggregateNode | undefined
  #aggregate(
    id: string | undefined,
    type: ScalarType | undefined,
    depth: number,
    wanted: readonly Flavour[] = [],
  ): AggregateNode | undefined {
    const { random } = this
    const { dialect } = this.#ground
    const fitting = AGGREGATES.filter(
      (one) =>
        (id ?? one.id) === one.id &&
        (type ?? one.type) === one.type &&
        (dialect === undefined || one.parameter !== 'fractions') &&
        (dialect === undefined ||
          (dialect.allowsAggregate(one.name, one.args) && one.args.every((arg) => dialect.types.includes(arg)))),
    )
    if (fitting.length === 0) return undefined
    // by name first: those of two arguments have many lists of types
    const chosenId = random.pick([...new Set(fitting.map((one) => one.id))])
    const chosen = random.pick(fitting.filter((one) => one.id === chosenId))
    if (dialect !== undefined) return this.#castAggregate(chosen, depth, dialect)
    const { name, distinct, args } = chosen
    const flavours = aggregateFlavours(name) ?? (wanted.length > 0 ? wanted : SCALAR_FLAVOURS)
    const [argument = null, second] = args.map((arg) => this.#records.ofType(arg, depth - 1, flavours))
    const filter = random.chance(0.25) ? this.#records.condition(1) : null
    return {
      ...{ kind: 'aggregate', name, distinct, type: chosen.type, argument, filter },
      ...(second === undefined ? {} : { second }),
      ...this.#extras(chosen, argument, (one) => this.#records.ofType(one, depth - 1)),
    }
  }

  /** The parameter and ORDER BY of a call. */
  #extras(
    { name, parameter, ordered, distinct }: AggregateChoice,
    argument: Node | null,
    key: (type: ScalarType) => Node,
  ): Pick<AggregateNode, 'parameter' | 'within' | 'order'> {
    const { random } = this
    const isWithin = parameter === 'quantile' || (parameter === 'fractions' && isOrderStatistic(name))
    const item = (node: Node): OrderItem => ({
      node,
      descending: random.chance(0.5),
      nullsFirst: random.chance(0.5),
    })
    const nodes = Array.from({ length: random.below(ORDER_KEYS_MAX + 1) }, () => key(random.pick(this.#types)))
    const keys = distinct ? (argument === null || random.chance(0.5) ? [] : [argument]) : nodes
    return {
      ...(parameter === 'fraction' ? { parameter: random.pick(FRACTIONS) } : {}),
      ...(parameter === 'separator' ? { parameter: random.pick(SEPARATORS) } : {}),
      ...(parameter === 'count' ? { parameter: 1 + random.below(4) } : {}),
      ...(parameter === 'quantile' ? { parameter: random.pick(FRACTIONS) } : {}),
      ...(parameter === 'fractions' ? { fractions: this.#fractions() } : {}),
      ...(parameter === 'width' ? { parameter: random.pick(BUCKET_WIDTHS) } : {}),
      ...(isWithin || parameter === 'direction' ? { within: random.pick(['asc', 'desc']) } : {}),
      ...(ordered ? { order: keys.map(item) } : {}),
    }
  }

  #fractions(): (number | null)[] {
    const { random } = this
    return Array.from({ length: random.below(4) }, () => (random.chance(0.1) ? null : random.pick(FRACTIONS)))
  }

  /** Sums and averages are of what no engine rounds on the way. */
  #castAggregate(chosen: AggregateChoice, depth: number, dialect: Dialect): AggregateNode {
    const { random } = this
    const {
      name,
      distinct,
      args: [wanted, wantedSecond],
      type,
    } = chosen
    const filter = random.chance(0.25) ? this.#records.condition(1) : null
    const common = { kind: 'aggregate', name, distinct, type, filter } as const
    if (wanted === undefined) return { ...common, argument: null }
    if (isOrderStatistic(name) && name !== 'percentile_disc') {
      const extras = this.#extras(chosen, null, (one) => this.#records.ofType(one, 0))
      const parameter = name === 'median' ? {} : { parameter: random.pick(BINARY_FRACTIONS) }
      return { ...common, argument: exactDouble(random, dialect), ...extras, ...parameter }
    }
    const isExact = wanted === 'double precision' && (name === 'sum' || name === 'avg')
    if (isExact) return { ...common, argument: exactDouble(random, dialect) }
    if (name === 'avg' && wanted !== 'interval')
      return { ...common, argument: castTo('bigint', firstField(dialect, 'bigint')) }
    const argument = this.#records.ofType(wanted, depth - 1)
    return {
      ...{ ...common, argument },
      ...(wantedSecond === undefined ? {} : { second: this.#records.ofType(wantedSecond, depth - 1) }),
      ...this.#extras(chosen, argument, (one) => this.#records.ofType(one, depth - 1)),
    }
  }

  #literal(type: ScalarType): LiteralNode | undefined {
    const { dialect } = this.#ground
    if (dialect !== undefined) return dialect.literal(type, this.random)
    return randomLiteral(this.random, type)
  }
}

const METADATA = [
  { name: 'topic', type: 'text' },
  { name: 'key', type: 'text' },
  { name: 'partition', type: 'bigint' },
  { name: 'offset', type: 'bigint' },
  { name: 'timestamp', type: 'timestamptz' },
] as const
/** The grammar makes one AND of an AND within an AND: a grouping value that is one would no longer be found. */
function apart(node: Node, form: 'and' | 'or'): Node {
  return node.kind === 'group' && node.expression.kind === form ? call('operator', 'is true', [node]) : node
}

/** The grammar negates a number that is written out, the analyser reads a quoted text that is cast. */
function isReadByGrammar(id: string): boolean {
  return id === 'negate' || id.startsWith('cast_to') || id.startsWith('try_cast_to')
}
