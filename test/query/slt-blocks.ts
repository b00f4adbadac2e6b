/** Owns tests of .slt blocks: each runs on a real leaf, which the blocks of one call share. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RollupdError } from '../../src/core/errors.ts'
import { wordValue, type SltBlock } from '../support/slt-file.ts'
import { QueryFixture } from './query-fixture.ts'

/** What is answered becomes what is expected. */
export const IS_UPDATE = process.env['SLT_UPDATE'] !== undefined

/** Defines a test a block. `update` gets what the queries answered, by their blocks' lines, when expectations are to be written anew. */
export function testSltBlocks(
  blocks: readonly SltBlock[],
  update: (answers: ReadonlyMap<number, readonly string[]>) => void,
): void {
  let fixture: QueryFixture
  beforeAll(async () => {
    fixture = await QueryFixture.create()
  })
  const answers = new Map<number, readonly string[]>()
  afterAll(() => {
    fixture.close()
    if (IS_UPDATE) update(answers)
  })
  for (const block of blocks) {
    test(`${block.line}: ${block.kind} ${block.words.join(' ')} ${block.body.slice(0, 80)}`, () =>
      run(block, fixture, answers))
  }
}

function run(block: SltBlock, fixture: QueryFixture, answers: Map<number, readonly string[]>): void {
  const [name = ''] = block.words
  switch (block.kind) {
    case 'rollup': {
      const idBits = wordValue(block.words, 'idBits') as number | undefined
      const indexes = (wordValue(block.words, 'indexes') ?? []) as string[][]
      const over = block.words.find((word) => word.startsWith('over='))?.slice('over='.length)
      if (over !== undefined) fixture.follower(name, block.body, over)
      else fixture.rollup(name, block.body, { indexes, ...(idBits === undefined ? {} : { idBits }) })
      return
    }
    case 'ingest':
      fixture.ingest(name, block.body.split('\n'))
      return
    case 'view':
      fixture.view(name, block.body)
      return
    case 'query':
      answers.set(block.line, answerOf(block, fixture))
      if (!IS_UPDATE) expect(answers.get(block.line)).toEqual(block.expected)
      return
    default:
      throw new Error(`line ${block.line}: unknown block ${block.kind}`)
  }
}

/** In the file's own form, so that a difference reads as one. */
function answerOf({ words, body, expected }: SltBlock, fixture: QueryFixture): string[] {
  const wanted = (kind: string): string[] => expected.filter((line) => line.startsWith(`${kind} `))
  try {
    const { text, answer } = fixture.run(body, {
      params: (wordValue(words, 'params') ?? []) as unknown[],
      onCellError: words.includes('null') ? 'null' : 'fail',
      bigNumbers: words.includes('strings') ? 'string' : 'number',
      format: 'ndjson',
    })
    const { warnings = [], errors = [] } = answer.meta
    const cells = errors.map(({ column, group = '', message }) => `${column} ${group}: ${message}`)
    const plan = wanted('plan').length === 0 ? [] : [fixture.plan(body).join('; ')]
    return [
      ...text.trimEnd().split('\n').slice(0, -1),
      ...told('warning', warnings, wanted('warning')),
      ...told('cell', cells, wanted('cell')),
      ...wanted('plan').map((line) => (plan[0]?.includes(line.slice(5)) === true ? line : `plan ${plan[0]}`)),
    ]
  } catch (error) {
    if (!(error instanceof RollupdError)) throw error
    const shown = `error ${error.code} ${error.message}${error.hint === undefined ? '' : ` | ${error.hint}`} @${error.position}`
    if (IS_UPDATE && expected[0] === 'x') return [shown]
    return expected.filter((line) => shown.includes(line) || matchesParts(shown, line)).length > 0
      ? [...expected]
      : [shown]
  }
}

/** `a ... b`: both parts, in order. */
function matchesParts(shown: string, line: string): boolean {
  let from = 0
  return line.split(' ... ').every((part) => {
    const at = shown.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}

function told(kind: string, actual: readonly string[], expected: readonly string[]): string[] {
  return actual.map((message, index) => {
    const line = expected[index]
    return line !== undefined && message.includes(line.slice(kind.length + 1)) ? line : `${kind} ${message}`
  })
}
