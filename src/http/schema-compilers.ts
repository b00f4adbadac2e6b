/**
 * Owns the compiling of the routes' schemas. Each is compiled when it is first met: compiling all of them took a fifth of a start. That they are
 * JSON schemas needs no check at run time, they are our own.
 */
import { Ajv } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'

const RULES = { allErrors: false, useDefaults: true, strict: false, verbose: true, meta: false, validateSchema: false }

/** Bodies are taken as they are; texts of a query string become numbers. */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const strict = new Ajv(RULES)
  const coercing = new Ajv({ ...RULES, coerceTypes: true })
  return ({ schema, httpPart }) => {
    const compile = whenMet(() => (httpPart === 'body' ? strict : coercing).compile(schema))
    return (data) => {
      const validate = compile()
      return validate(data) || { error: validate.errors as never }
    }
  }
}

export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  const compile = whenMet(() => fastJson(schema as never))
  return (data) => compile()(data)
}

function whenMet<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
