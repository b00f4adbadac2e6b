/** Owns num_nulls and num_nonnulls. */
import { type Registers, TAG } from '../../core/registers.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { never, variadic } from './argument.ts'

function countNulls(r: Registers, args: readonly number[]): number {
  let count = 0
  for (let place = 0; place < args.length; place++) if (r.tag[args[place] as number] === TAG.NULL) count++
  return count
}

function countEntry(name: 'num_nulls' | 'num_nonnulls', wanted: boolean, which: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: (args) => (args.length > 0 && !args.includes('unknown') ? 'bigint' : undefined),
    signature: `${name}(value [, ...])`,
    variadic: true,
    strict: false,
    canFail: never,
    evaluate: variadic((r, out, args) => {
      const nulls = countNulls(r, args)
      r.setInteger(out, wanted ? nulls : args.length - nulls)
    }),
    doc: { summary: `How many of the values are ${which}.`, example: `${name}(email, phone)` },
  }
}

export const NULL_COUNT_FUNCTIONS: readonly FunctionEntry[] = [
  countEntry('num_nulls', true, 'null'),
  countEntry('num_nonnulls', false, 'not null'),
]
