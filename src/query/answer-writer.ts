/** Owns the shape of an answer's text: JSON as in the contract, a row a line (NDJSON), or CSV. */
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import { toCsvField, toJsonText, toJsonTextWithStrings } from './json-cell.ts'
import type { AnswerFormat, ResultMeta } from './query-request.ts'

export interface AnswerColumn {
  readonly name: string
  readonly type: ScalarType
}

export interface AnswerText {
  /** Before the first row. */
  readonly head: string
  /** One row; the first `columns.length` cells are its own. */
  row(cells: readonly Cell[], index: number): string
  /** Behind the last row. */
  tail(meta: ResultMeta): string
}

export function createAnswerText(
  format: AnswerFormat,
  columns: readonly AnswerColumn[],
  bigNumbers: 'number' | 'string',
): AnswerText {
  const toText = bigNumbers === 'string' ? toJsonTextWithStrings : toJsonText
  const keys = columns.map(({ name }, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`)
  const toObject = (cells: readonly Cell[]): string => {
    let text = '{'
    for (let index = 0; index < keys.length; index++) {
      text += keys[index] + toText(cells[index] as Cell, (columns[index] as AnswerColumn).type)
    }
    return `${text}}`
  }
  switch (format) {
    case 'json':
      return {
        head: `{"columns":${JSON.stringify(columns)},"rows":[`,
        row: (cells, index) => (index === 0 ? toObject(cells) : `,${toObject(cells)}`),
        tail: (meta) => `],${JSON.stringify({ ...meta, columns: undefined }).slice(1)}\n`,
      }
    case 'ndjson':
      return {
        head: '',
        row: (cells) => `${toObject(cells)}\n`,
        tail: (meta) => `${JSON.stringify({ result: meta })}\n`,
      }
    case 'csv':
      return {
        head: `${columns.map(({ name }) => toCsvField(JSON.stringify(name))).join(',')}\r\n`,
        row: (cells) =>
          `${columns.map(({ type }, index) => toCsvField(toText(cells[index] as Cell, type))).join(',')}\r\n`,
        tail: () => '',
      }
  }
}
