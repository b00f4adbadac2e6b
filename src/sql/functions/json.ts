/** Owns the paths into undeclared values and jsonb: ->, ->>, #>, #>> and jsonb_extract_path. What isn't there, and any part of a scalar, is NULL. */
import { findElement, findKey, readJsonInto } from '../../core/json-path.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isOneOf, isText, isWholeDouble, textOf, variadic, wrongKind } from './argument.ts'
import { JSON_BUILD_FUNCTIONS } from './json-build.ts'
import { JSON_CONTAIN_FUNCTIONS } from './json-contain.ts'
import { JSON_LOOK_FUNCTIONS } from './json-look.ts'
import { isPathType, type JsonPath, literalPath, readPath, toStep } from './json-path-argument.ts'
import { beginOf, isJsonType } from './json-value.ts'
import { toUndeclaredText } from './casts.ts'

/** Where the part of the JSON value at `at` begins; -1: there is none. A number asks an array, a text an object. */
function findPart(bytes: Uint8Array, at: number, key: Uint8Array | number): number {
  if (bytes[at] === 0x7b && typeof key !== 'number') return findKey(bytes, at, key)
  if (bytes[at] === 0x5b && typeof key === 'number') return findElement(bytes, at, key)
  return -1
}

/** The part of register a that register b names. */
function member(r: Registers, out: number, a: number, b: number, name: string): void {
  if (!isText(r, b) && r.tag[b] !== TAG.INTEGER && !isWholeDouble(r, b)) {
    // an index beyond the safe range is beyond every array
    if (r.tag[b] === TAG.BIG_INTEGER) r.setNull(out)
    else wrongKind(r, out, `the operator ${name}`, b)
    return
  }
  if (r.tag[a] !== TAG.JSON) {
    r.setNull(out)
    return
  }
  const bytes = r.ref[a] as Uint8Array
  const at = findPart(bytes, beginOf(r, a), isText(r, b) ? r.bytesOf(b) : (r.num[b] as number))
  if (at < 0) r.setNull(out)
  else readJsonInto(bytes, at, r, out)
}

/** A step is a key of an object, and an index of an array where it is one; a null step leads nowhere. */
function walk(r: Registers, out: number, a: number, path: JsonPath): void {
  if (r.tag[a] !== TAG.JSON) {
    // the empty path is the value itself
    if (path.length === 0) r.copy(out, a)
    else r.setNull(out)
    return
  }
  const bytes = r.ref[a] as Uint8Array
  let at = beginOf(r, a)
  for (const step of path) {
    if (step === null) at = -1
    else if (bytes[at] === 0x7b) at = findKey(bytes, at, step.key)
    else if (bytes[at] === 0x5b && !Number.isNaN(step.index)) at = findElement(bytes, at, step.index)
    else at = -1
    if (at < 0) {
      r.setNull(out)
      return
    }
  }
  readJsonInto(bytes, at, r, out)
}

function takesKey(type: ScalarType | undefined): boolean {
  return isOneOf(type, 'text', 'bigint', 'any')
}

function memberEntry(name: '->' | '->>', asText: boolean): FunctionEntry {
  const evaluate: Evaluate = (r, out, a, b) => {
    member(r, out, a, b, name)
    if (asText && r.tag[out] !== TAG.ERROR) toUndeclaredText(r, out, out, -1, -1, -1)
  }
  return {
    id: asText ? 'member_text' : 'member',
    name,
    form: 'operator',
    resolve: ([value, key, further]) =>
      isJsonType(value) && takesKey(key) && further === undefined ? (asText ? 'text' : 'any') : undefined,
    signature: `value ${name} key (text or bigint)`,
    strict: true,
    canFail: always,
    evaluate,
    print: ([value, key]) => `${value} ${name} ${key}`,
    doc: {
      summary: `The part of an object with that key, or of an array at that index (from 0, negative from the end)${asText ? ', as text' : ''}; null where it isn't.`,
      example: `device ${name} 'os'`,
    },
  }
}

function pathEntry(name: '#>' | '#>>', asText: boolean): FunctionEntry {
  const follow = (r: Registers, out: number, a: number, path: JsonPath): void => {
    walk(r, out, a, path)
    if (asText && r.tag[out] !== TAG.ERROR) toUndeclaredText(r, out, out, -1, -1, -1)
  }
  return {
    id: asText ? 'path_text' : 'path',
    name,
    form: 'operator',
    resolve: ([value, path, further]) =>
      isJsonType(value) && isPathType(path) && further === undefined ? (asText ? 'text' : 'any') : undefined,
    signature: `value ${name} path`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => {
      const path = readPath(r, out, b, `the operator ${name}`)
      if (path !== undefined) follow(r, out, a, path)
    },
    specialize: ([, argument]) => {
      const path = literalPath(argument)
      return path === undefined ? undefined : (r, out, a) => follow(r, out, a, path)
    },
    print: ([value, path]) => `${value} ${name} ${path}`,
    doc: {
      summary: `The part that the steps of a path lead to${asText ? ', as text' : ''}; null where they lead nowhere.`,
      example: `device ${name} '{os,version}'`,
    },
  }
}

/** jsonb_extract_path: the steps one by one. */
function extractEntry(name: string, asText: boolean): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([value, ...steps]) =>
      isJsonType(value) && steps.every((type) => isOneOf(type, 'text', 'any')) ? (asText ? 'text' : 'any') : undefined,
    signature: `${name}(value [, step text, ...])`,
    variadic: true,
    strict: true,
    canFail: always,
    evaluate: variadic((r, out, [value, ...steps]) => {
      const wrong = steps.find((step) => !isText(r, step))
      if (wrong !== undefined) {
        wrongKind(r, out, name, wrong)
        return
      }
      walk(
        r,
        out,
        value as number,
        steps.map((step) => toStep(textOf(r, step))),
      )
      if (asText && r.tag[out] !== TAG.ERROR) toUndeclaredText(r, out, out, -1, -1, -1)
    }),
    doc: {
      summary: `The part that the steps lead to${asText ? ', as text' : ''}; null where they lead nowhere.`,
      example: `${name}(device, 'os', 'version')`,
    },
  }
}

export const JSON_FUNCTIONS: readonly FunctionEntry[] = [
  memberEntry('->', false),
  memberEntry('->>', true),
  pathEntry('#>', false),
  pathEntry('#>>', true),
  extractEntry('jsonb_extract_path', false),
  extractEntry('jsonb_extract_path_text', true),
  ...JSON_LOOK_FUNCTIONS,
  ...JSON_CONTAIN_FUNCTIONS,
  ...JSON_BUILD_FUNCTIONS,
]
