/** Owns the windows of a SELECT: names of WINDOW, PARTITION BY, ORDER BY and frames, as SQLite text. */
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { errorCell } from '../core/key-bytes.ts'
import { toColumnStorage } from '../core/scalar-type.ts'
import { MICROSECONDS_PER_DAY } from '../core/timestamp-calendar.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { Expression } from '../sql/expression.ts'
import type { Node, WindowDef } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import type { CompileContext } from './compile-context.ts'
import { nowhere } from './guard-place.ts'
import { compileSortKeys } from './order-by.ts'
import { toBlobLiteral } from './sqlite-text.ts'
import type { RangeFrame } from './range-frame.ts'
import { frameOf, type Frame } from './window-frame.ts'

/** A window as the calls over it need it. */
export interface Window {
  /** What stands in brackets behind OVER. */
  readonly text: string
  /** Whether rows leave the frame at its start. */
  readonly isSliding: boolean
  /** A frame that is found by the row's key, in microseconds. */
  readonly range?: { readonly frame: RangeFrame; readonly key: string } | undefined
}

export class WindowClause {
  readonly #definitions = new Map<string, WindowDef>()
  readonly #context: CompileContext

  /** Errors: sql_invalid for a name that WINDOW has twice. */
  constructor(nodes: readonly Node[], context: CompileContext) {
    this.#context = context
    for (const node of nodes) {
      if (!('WindowDef' in node)) continue
      const { name = '' } = node.WindowDef
      if (this.#definitions.has(name)) {
        throw new RollupdError('sql_invalid', `WINDOW has the name "${name}" twice`, {
          position: context.positionOf(node.WindowDef.location),
        })
      }
      // a window sees those before it alone, so names can't go in circles
      this.#definitions.set(name, this.#complete(node.WindowDef))
    }
  }

  /** What OVER says; `analyser` has the names that its expressions may use. */
  window(over: WindowDef, analyser: Analyser): Window {
    const complete = over.name === undefined ? this.#complete(over) : this.#find(over.name, over)
    const keys = this.#sortKeys(complete.orderClause ?? [], analyser)
    const frame = frameOf(complete, keys, analyser, this.#context.printer)
    const { isSliding, range } = frame
    const text = this.#text(complete, keys, frame, analyser)
    const [key] = keys
    if (range === undefined || key === undefined) return { text, isSliding }
    const micros = this.#sortKey(key.expression, frame)
    const scaled = key.expression.type === 'date' ? `(${micros} * ${MICROSECONDS_PER_DAY})` : micros
    return { text, isSliding, range: { frame: range, key: scaled } }
  }

  /** Analyses windows that no call uses: what is wrong in them is told all the same. */
  check(analyser: Analyser): void {
    for (const definition of this.#definitions.values()) this.window(definition, analyser)
  }

  /** With what it takes over from the window that it names. Errors: sql_invalid where it says again what that has. */
  #complete(definition: WindowDef): WindowDef {
    const { refname, ...own } = definition
    if (refname === undefined) return own
    const base = this.#find(refname, definition)
    const position = this.#context.positionOf(definition.location)
    const refuse = (what: string, hint: string): RollupdError =>
      new RollupdError('sql_invalid', `${what} of window "${refname}"`, { position, hint })
    if (own.partitionClause !== undefined)
      throw refuse('cannot override PARTITION BY', 'Write the whole window, without its name.')
    if (own.orderClause !== undefined && base.orderClause !== undefined)
      throw refuse('cannot override ORDER BY', 'Write the whole window, without its name.')
    if (isFramed(base)) throw refuse('cannot copy the frame', `Write OVER ${refname} without brackets.`)
    const { partitionClause, orderClause = base.orderClause } = { ...own, partitionClause: base.partitionClause }
    return {
      ...own,
      ...(partitionClause === undefined ? {} : { partitionClause }),
      ...(orderClause === undefined ? {} : { orderClause }),
    }
  }

  #find(name: string, { location }: WindowDef): WindowDef {
    const found = this.#definitions.get(name)
    if (found !== undefined) return found
    throw new RollupdError('sql_invalid', `there is no window "${name}"`, {
      position: this.#context.positionOf(location),
      hint: didYouMean(name, [...this.#definitions.keys()]) ?? `Add WINDOW ${name} AS (ORDER BY ...) behind FROM.`,
    })
  }

  #sortKeys(nodes: readonly Node[], analyser: Analyser): WindowKey[] {
    // neither ordinals nor names of outputs count here: PostgreSQL's rule
    return nodes.flatMap((node) => {
      if (!('SortBy' in node)) return []
      const { node: value } = node.SortBy
      assert(value !== undefined, 'a sort key has a value')
      if ('A_Const' in value) return [{ expression: analyser.analyseSettled(value), direction: ' ASC' }]
      return compileSortKeys([node], [], this.#context, analyser).map(({ expression, direction }) => {
        assert(expression !== undefined, 'a key of a window is an expression')
        return { expression, direction }
      })
    })
  }

  #text(definition: WindowDef, keys: readonly WindowKey[], frame: Frame, analyser: Analyser): string {
    const partition = (definition.partitionClause ?? []).map((node) =>
      this.#key(analyser.analyseSettled(node), 'PARTITION BY'),
    )
    const order = keys.map(({ expression, direction }) => `${this.#sortKey(expression, frame)}${direction}`)
    return [
      partition.length === 0 ? '' : `PARTITION BY ${partition.join(', ')}`,
      order.length === 0 ? '' : `ORDER BY ${order.join(', ')}`,
      frame.text,
    ]
      .filter((part) => part !== '')
      .join(' ')
  }

  /** Beyond 64 bits SQLite adds doubles: a key so near to the limits that such a sum could round to it is an error. */
  #sortKey(expression: Expression, { addsToKey }: Frame): string {
    const text = this.#key(expression, 'ORDER BY')
    if (!addsToKey || toColumnStorage(expression.type) !== 'INTEGER') return text
    const message = 'a key of RANGE is too near to the limits of 64 bits'
    const error = toBlobLiteral(errorCell('integer_out_of_range', message))
    const checked = `CASE WHEN ${text} NOT BETWEEN ${-RANGE_KEY_MAX} AND ${RANGE_KEY_MAX} THEN ${error} ELSE ${text} END`
    return this.#context.conditions.guard(checked, nowhere('ORDER BY of a window'))
  }

  /** Rows are told apart and sorted by comparing: there an error ends. */
  #key(expression: Expression, clause: string): string {
    const { printer, conditions } = this.#context
    // a constant is a value of its own, not the number of an output
    if (expression.kind === 'literal') return 'NULL'
    const text = printer.printComparable(expression)
    return printer.canFail(expression) ? conditions.guard(text, nowhere(`${clause} of a window`)) : text
  }
}

/** Doubles beyond 2^63 are 2,048 apart. */
const RANGE_KEY_MAX = 2n ** 63n - 4_096n

export interface WindowKey {
  readonly expression: Expression
  /** ` ASC NULLS LAST` */
  readonly direction: string
}

function isFramed({ frameOptions = 0 }: WindowDef): boolean {
  return (frameOptions & FRAME_WRITTEN) !== 0
}

/** FRAMEOPTION_NONDEFAULT of PostgreSQL. */
const FRAME_WRITTEN = 1
