/** Owns the functions that change a JSON value at a path: jsonb_set, jsonb_set_lax, jsonb_insert, #-. */
import { assert } from '../../core/assert.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isOneOf, isText, textOf, variadic, wrongKind } from './argument.ts'
import { type Change, changeAt } from './json-change.ts'
import { isPathType, type JsonPath, literalPath, readPath } from './json-path-argument.ts'
import { isJsonType, jsonTextOf } from './json-value.ts'

const isFlagType = (type: ScalarType | undefined): boolean => type === undefined || isOneOf(type, 'boolean', 'any')

/** A flag that may be left out; undefined where an error was written. */
function readFlag(r: Registers, out: number, name: string, index: number, whenAbsent: boolean): boolean | undefined {
  if (index < 0) return whenAbsent
  if (r.tag[index] === TAG.BOOLEAN) return r.num[index] === 1
  wrongKind(r, out, name, index)
  return undefined
}

interface Setter {
  readonly name: string
  readonly flag: string
  readonly flagWhenAbsent: boolean
  readonly changeOf: (flag: boolean) => Change
  readonly summary: string
  readonly example: string
}

function setterEntry({ name, flag, flagWhenAbsent, changeOf, summary, example }: Setter): FunctionEntry {
  const set = (r: Registers, out: number, a: number, path: JsonPath, c: number, d: number): void => {
    const flagged = readFlag(r, out, name, d, flagWhenAbsent)
    if (flagged !== undefined) changeAt(r, out, a, { path, change: changeOf(flagged), name, value: jsonTextOf(r, c) })
  }
  return {
    id: name,
    name,
    form: 'function',
    resolve: (args) => (takesSetting(args, 4) ? 'jsonb' : undefined),
    signature: `${name}(target jsonb, path, value jsonb [, ${flag} boolean])`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b, c, d) => {
      const path = readPath(r, out, b, name)
      if (path !== undefined) set(r, out, a, path, c, d)
    },
    specialize: ([, argument]) => {
      const path = literalPath(argument)
      return path === undefined ? undefined : (r, out, a, _b, c, d) => set(r, out, a, path, c, d)
    },
    doc: { summary, example },
  }
}

function takesSetting([target, path, value, flag, ...more]: readonly ScalarType[], most: number): boolean {
  return isJsonType(target) && isPathType(path) && isJsonType(value) && isFlagType(flag) && more.length <= most - 4
}

const LAX = 'jsonb_set_lax'
const TREATMENTS = ['use_json_null', 'delete_key', 'return_target', 'raise_exception'] as const

/** What becomes of a NULL as the new value. */
function setLax(r: Registers, out: number, args: readonly number[]): void {
  const [target, b, value, flag = -1, treatment = -1] = args
  assert(target !== undefined && b !== undefined && value !== undefined, 'the entry takes three to five arguments')
  if ([target, b, flag].some((index) => index >= 0 && r.tag[index] === TAG.NULL)) {
    r.setNull(out)
    return
  }
  const path = readPath(r, out, b, LAX)
  if (path === undefined) return
  const creates = readFlag(r, out, LAX, flag, true)
  if (creates === undefined) return
  if (treatment >= 0 && r.tag[treatment] !== TAG.NULL && !isText(r, treatment)) {
    wrongKind(r, out, LAX, treatment)
    return
  }
  const isNull = r.tag[value] === TAG.NULL
  const word = treatment < 0 ? 'use_json_null' : r.tag[treatment] === TAG.NULL ? undefined : textOf(r, treatment)
  // with a value, only a NULL is no treatment
  const isTreatment = word !== undefined && (!isNull || (TREATMENTS as readonly string[]).includes(word))
  if (!isTreatment)
    r.setError(out, 'invalid_argument', `${LAX}: the treatment of NULL is one of ${TREATMENTS.join(', ')}`)
  else if (isNull && word === 'raise_exception') r.setError(out, 'invalid_argument', `${LAX}: the value is null`)
  else if (isNull && word === 'return_target') r.copy(out, target)
  else if (isNull && word === 'delete_key') changeAt(r, out, target, { path, change: 'remove', name: LAX, value: '' })
  else changeAt(r, out, target, { path, change: creates ? 'put' : 'replace', name: LAX, value: jsonTextOf(r, value) })
}

const REMOVE_PATH = 'the operator #-'

export const JSON_SET_FUNCTIONS: readonly FunctionEntry[] = [
  setterEntry({
    name: 'jsonb_set',
    flag: 'create_if_missing',
    flagWhenAbsent: true,
    changeOf: (creates) => (creates ? 'put' : 'replace'),
    summary:
      'The value at the path replaced; a key or element that is missing at its end is added, unless the fourth argument is false.',
    example: "jsonb_set(device, '{os,version}', '17')",
  }),
  {
    id: LAX,
    name: LAX,
    form: 'function',
    resolve: (args) => (takesSetting(args, 5) && isOneOf(args[4] ?? 'text', 'text', 'any') ? 'jsonb' : undefined),
    signature: `${LAX}(target jsonb, path, value jsonb [, create_if_missing boolean [, null_value_treatment text]])`,
    variadic: true,
    strict: false,
    canFail: always,
    evaluate: variadic(setLax),
    doc: {
      summary: `As jsonb_set; where the value is NULL, the fifth argument says what: ${TREATMENTS.join(', ')}.`,
      example: `${LAX}(device, '{os}', os::jsonb, true, 'delete_key')`,
    },
  },
  setterEntry({
    name: 'jsonb_insert',
    flag: 'insert_after',
    flagWhenAbsent: false,
    changeOf: (after) => (after ? 'insert_after' : 'insert_before'),
    summary:
      'The value inserted at the path: in an array before the element there, or behind it where the fourth argument is true; in an object as a new key.',
    example: `jsonb_insert(device, '{tags,0}', '"new"')`,
  }),
  {
    id: 'remove_path',
    name: '#-',
    form: 'operator',
    resolve: ([value, path, further]) =>
      isJsonType(value) && isPathType(path) && further === undefined ? 'jsonb' : undefined,
    signature: 'value #- path',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => {
      const path = readPath(r, out, b, REMOVE_PATH)
      if (path !== undefined) changeAt(r, out, a, { path, change: 'remove', name: REMOVE_PATH, value: '' })
    },
    specialize: ([, argument]) => {
      const path = literalPath(argument)
      if (path === undefined) return undefined
      return (r, out, a) => changeAt(r, out, a, { path, change: 'remove', name: REMOVE_PATH, value: '' })
    },
    doc: { summary: 'Without the member or element that the path leads to.', example: "device #- '{os,version}'" },
  },
]
