/** Owns the words for a body or query string that doesn't have its schema's shape. */
import type { FastifyError } from 'fastify'

/** What ajv tells of one rule, with `verbose` the rule itself too. */
interface BrokenRule {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly schema?: unknown
}

/** One line: `body/source: unknown field "tpoic"`, `body/on_error: must be "dead_letter", "null" or "halt"`. */
export function describeValidation(error: FastifyError): string {
  const rule = chooseRule(error.validation ?? [])
  if (rule === undefined) return error.message
  return `${error.validationContext ?? 'body'}${rule.instancePath}: ${describeRule(rule)}`
}

/** Where several shapes are allowed, each tells why it isn't met: the one that got furthest says most. */
function chooseRule(rules: readonly BrokenRule[]): BrokenRule | undefined {
  const union = rules.findLast((rule) => rule.keyword === 'anyOf')
  if (union === undefined) return rules[0]
  const deeper = rules.find((rule) => rule.instancePath.length > union.instancePath.length)
  return rules.find((rule) => rule.keyword === 'additionalProperties') ?? deeper ?? union
}

function describeRule({ keyword, params, message, schema }: BrokenRule): string {
  switch (keyword) {
    case 'additionalProperties':
      return `unknown field "${String(params['additionalProperty'])}"`
    case 'required':
      return `the field "${String(params['missingProperty'])}" is missing`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    case 'anyOf':
      return `must be ${joinAlternatives((schema as readonly AllowedShape[]).map(describeShape))}`
    default:
      return message ?? 'is not valid'
  }
}

interface AllowedShape {
  readonly const?: unknown
  readonly type?: string
  readonly required?: readonly string[]
}

function describeShape({ const: value, type, required = [] }: AllowedShape): string {
  if (value !== undefined) return JSON.stringify(value)
  if (required.length > 0) return `{${required.map((field) => `"${field}": ...`).join(', ')}}`
  return type ?? 'something else'
}

function joinAlternatives(alternatives: readonly string[]): string {
  return `${alternatives.slice(0, -1).join(', ')} or ${alternatives.at(-1)}`
}
