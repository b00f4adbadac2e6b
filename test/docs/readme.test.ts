/** What README.md and the documents tell is true: their commands run, their statements plan, their answers and links are right. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createPlanner } from '../../src/main/create-planner.ts'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { type Block, CHECKOUT, readAnchors, readBlocks, readDocument, readLinks } from './markdown.ts'

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(CHECKOUT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
/** The address that the documents name. */
const DOCUMENTED = '127.0.0.1:8090'
/** The first query process starts meanwhile, and the records are read. */
const ANSWER_MS_MAX = 15_000
const SESSION_MS_MAX = 90_000
const POLL_MS = 100

const data = createDataFolder()
let service: RunningService

beforeAll(async () => {
  service = await startRollupd({ data: data.path })
})

afterAll(async () => {
  await service.stop()
  data.remove()
})

function run(file: string, args: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ROLLUPD_URL: service.url }
    const child = execFile(file, args, { cwd: CHECKOUT, env }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr })
    })
  })
}

/** As typed into a terminal, against the service of this test; a command that fails ends it. */
async function runShell(text: string): Promise<string> {
  const script = text
    .replaceAll(DOCUMENTED, new URL(service.url).host)
    .replaceAll(/^curl /gm, 'curl -sS --fail-with-body ')
  const { exitCode, stdout, stderr } = await run('bash', ['-euc', script])
  expect(exitCode, `${text}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

/** What the document shows below a command comes as soon as the records are read. */
async function expectOutput(command: string, shown: string): Promise<void> {
  const deadline = performance.now() + ANSWER_MS_MAX
  let output = ''
  do {
    output = await runShell(command)
    if (output.trimEnd() === shown.trimEnd()) return
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS)
    })
  } while (performance.now() < deadline)
  expect(output.trimEnd()).toBe(shown.trimEnd())
}

function commandsOf(file: string): { command: string; shown: string | undefined }[] {
  const blocks = readBlocks(file)
  return blocks.flatMap((block, index) => {
    const next: Block | undefined = blocks[index + 1]
    const shown = next?.language === 'text' ? next.text : undefined
    // this test has its own service
    return block.language !== 'sh' || /rollupd serve/.test(block.text) ? [] : [{ command: block.text, shown }]
  })
}

test('the commands of README.md lead to the numbers that it shows', { timeout: SESSION_MS_MAX }, async () => {
  const commands = commandsOf('README.md')
  expect(commands.filter(({ shown }) => shown !== undefined)).toHaveLength(2)
  expect(commands.length).toBeGreaterThanOrEqual(6)
  for (const { command, shown } of commands) {
    if (shown === undefined) await runShell(command)
    else await expectOutput(command, shown)
  }
})

test('the requests of docs/HTTP.md give the rows that it shows', { timeout: SESSION_MS_MAX }, async () => {
  const [session] = commandsOf('docs/HTTP.md')
  const output = await runShell(session?.command ?? '')
  const shown = readBlocks('docs/HTTP.md').find(({ language }) => language === 'json')?.text ?? ''
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  // the answers stand behind each other
  const { rows } = JSON.parse(
    last.slice(last.indexOf('{"columns":[{"name":"page","type":"any"},{"name":"visits","type":"bigint"}')),
  ) as { rows: unknown }
  expect(rows).toEqual(JSON.parse(shown))
})

test('docs/HTTP.md has every route, and every field of a rollup', async () => {
  const text = readDocument('docs/HTTP.md')
  const { paths } = (await (await fetch(new URL('/openapi.json', service.url))).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${path}`),
  )
  expect(routes.length).toBeGreaterThan(15)
  expect(routes.filter((route) => !text.includes(route))).toEqual([])
  const { rollups } = (await (await fetch(new URL('/v1/rollups', service.url))).json()) as {
    rollups: { shards: object[] }[]
  }
  const [rollup] = rollups
  const fields = [...Object.keys(rollup ?? {}), ...Object.keys(rollup?.shards[0] ?? {})]
  expect(fields.length).toBeGreaterThan(25)
  expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(text))).toEqual([])
})

// queries stand in the documents' slt examples
test('every statement in a document can be planned, and README.md shows sql/orders.sql as it is', async () => {
  const plan = await createPlanner()
  const statements = DOCUMENTS.flatMap(readBlocks)
    .filter(({ language }) => language === 'sql')
    .map(({ text }) => text)
  expect(statements.length).toBeGreaterThanOrEqual(2)
  for (const statement of statements) expect(plan(statement).warnings, statement).toEqual([])
  const file = readDocument('sql/orders.sql').replaceAll(/^--.*\n/gm, '')
  expect(statements).toContain(file)
})

test('links lead somewhere', () => {
  const dead = DOCUMENTS.flatMap((document) =>
    readLinks(document).flatMap((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? document : join(dirname(document), path)
      const isThere =
        existsSync(join(CHECKOUT, target)) && (anchor === undefined || readAnchors(target).includes(anchor))
      return isThere ? [] : [`${document}: ${link}`]
    }),
  )
  expect(dead).toEqual([])
})

test('the commands that documents name exist', { timeout: SESSION_MS_MAX }, async () => {
  const text = DOCUMENTS.map(readDocument).join('\n')
  const [dev, rollupd] = await Promise.all([
    run(process.execPath, ['tools/dev.ts', '--help']),
    run(process.execPath, ['src/main/cli.ts', '--help']),
  ])
  expect(missingWords(text, /\.\/dev (?!rollupd|demo)([a-z]+)/g, dev.stdout)).toEqual([])
  expect(missingWords(text, /(?:\.\/dev |`)rollupd ([a-z][a-z-]*)/g, rollupd.stdout)).toEqual([])
})

/** Words behind a command that its help doesn't list. */
function missingWords(text: string, pattern: RegExp, help: string): string[] {
  const words = new Set([...text.matchAll(pattern)].map(([, word = '']) => word))
  expect(words.size).toBeGreaterThan(2)
  return [...words].filter((word) => !new RegExp(`^  ${word}\\b`, 'm').test(help))
}

test('docs/OPERATIONS.md has every limit with its default, and every metric', async () => {
  const text = readDocument('docs/OPERATIONS.md')
  const { limits, listen, data: folder } = loadConfig({ flags: {}, environment: {} })
  for (const [name, value] of Object.entries(limits)) {
    expect(text, name).toMatch(new RegExp(`\`limits\\.${name}\` +\\| +\\| ${value} `))
  }
  expect(text).toContain(`\`${listen}\``)
  expect(text).toContain(`\`${folder}\``)
  const metrics = await (await fetch(new URL('/metrics', service.url))).text()
  const names = [...metrics.matchAll(/^# TYPE (rollupd_\w+)/gm)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !text.includes(`\`${name}`))).toEqual([])
})
