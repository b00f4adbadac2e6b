/** A checker that can't fail checks nothing: each meets a small clean tree, then the same tree with violations planted. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CHECKOUT = dirname(dirname(import.meta.dirname))
const SETTINGS = [
  'tsconfig.json',
  '.oxlintrc.json',
  '.prettierrc.json',
  '.prettierignore',
  '.dependency-cruiser.cjs',
  'knip.json',
]
/** Several checkers start on two cores that other tests use too. */
const CHECKER_TIMEOUT_MS = 60_000

const CHECKERS = ['typescript', 'oxlint', 'oxlint-tsgolint', 'prettier', 'dependency-cruiser', 'knip']

/** package.json of the planted tree: our scripts, the checkers and the named dependencies. */
function toManifest(dependencies: Readonly<Record<string, string>>): string {
  const { type, scripts, devDependencies } = readManifest()
  const checkers = Object.fromEntries(CHECKERS.map((name) => [name, devDependencies[name]]))
  return `${JSON.stringify({ type, scripts: pickChecks(scripts), dependencies, devDependencies: checkers }, undefined, 2)}\n`
}

interface Manifest {
  readonly type: string
  readonly scripts: Record<string, string>
  readonly devDependencies: Record<string, string>
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as Manifest
}

function pickChecks(scripts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(scripts).filter(([script]) => script.startsWith('check:')))
}

const CLEAN_TREE = {
  'bench/nothing.ts': 'process.exitCode = 0\n',
  'test/core/sum.test.ts': "import '../../src/core/sum.ts'\n",
  'tools/is-installed.ts': 'process.exitCode = 0\n',
  'vitest.config.ts': 'export default {}\n',
  'src/core/sum.ts': 'export function sum(a: number, b: number): number {\n  return a + b\n}\n',
  'src/main/cli.ts': "import { sum } from '../core/sum.ts'\n\nprocess.exitCode = sum(0, 0)\n",
}

let tree: string

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'rollupd-checkers-'))
  for (const file of SETTINGS) cpSync(join(CHECKOUT, file), join(tree, file))
  symlinkSync(join(CHECKOUT, 'node_modules'), join(tree, 'node_modules'))
  plant({ ...CLEAN_TREE, 'package.json': toManifest({}) })
})

afterEach(() => {
  rmSync(tree, { recursive: true })
})

function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
}

/** Runs the script `check:NAME` of package.json in the tree. */
function check(name: string): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--run', `check:${name}`], { cwd: tree }, (error, stdout, stderr) => {
      resolve({ failed: error !== null, output: `${stdout}${stderr}` })
    })
  })
}

/** Files to plant, and what the checker has to say of them. */
const PLANTED: Record<string, { readonly files: Record<string, string>; readonly says: readonly string[] }> = {
  types: {
    files: { 'src/core/sum.ts': "export function sum(a: number, b: number): number {\n  return a + b + ''\n}\n" },
    says: ["src/core/sum.ts(2,3): error TS2322: Type 'string' is not assignable to type 'number'"],
  },
  lint: {
    files: {
      'src/core/wait.ts': 'export function wait(): void {\n  Promise.resolve(1)\n  console.log(1)\n}\n',
      'src/core/list.ts': 'export async function list(): Promise<number[]> {\n  return [await 1]\n}\n',
    },
    says: ['no-floating-promises', 'no-console', 'await-thenable'],
  },
  format: {
    files: { 'src/core/sum.ts': 'export const sum = (a: number, b: number): number => { return a + b; };\n' },
    says: ['src/core/sum.ts'],
  },
  imports: {
    files: {
      'src/core/upwards.ts': "import '../main/cli.ts'\n",
      'src/http/consumer.ts': "import 'kafkajs'\n",
      'src/service/store.ts': "import 'better-sqlite3'\n",
      'src/planner/parse.ts': "import 'libpg-query'\n",
      'src/service/app.ts': "import 'fastify'\n",
      'src/query/egg.ts': "import './hen.ts'\n\nexport const egg = 1\n",
      'src/query/hen.ts': "import { egg } from './egg.ts'\n\nexport const hen = egg\n",
      'src/leaf/lonely.ts': 'export const lonely = 1\n',
      'src/leaf/lost.ts': "import './nowhere.ts'\n",
      'src/leaf/oracle.ts': "import '../../test/support/oracle.ts'\n",
      'src/adapters/kafka/kafka-log.ts': "import '../embedded/embedded-log.ts'\n",
      'src/adapters/embedded/embedded-log.ts': 'export const log = 1\n',
      'test/support/oracle.ts': 'export const oracle = 1\n',
    },
    says: [
      'direction-core: src/core/upwards.ts',
      'only-home-imports-kafkajs: src/http/consumer.ts',
      'only-home-imports-better-sqlite3: src/service/store.ts',
      'only-home-imports-libpg-query: src/planner/parse.ts',
      'only-home-imports-fastify: src/service/app.ts',
      'no-development-packages-in-product: src/planner/parse.ts',
      'adapters-apart: src/adapters/kafka/kafka-log.ts',
      'no-cycles: src/query/egg.ts',
      'no-orphans: src/leaf/lonely.ts',
      'no-unresolvable: src/leaf/lost.ts',
      'product-apart-from-tools: src/leaf/oracle.ts',
    ],
  },
  unused: {
    files: {
      'src/core/sum.ts': 'export const sum = (a: number, b: number): number => a + b\nexport const unusedExport = 1\n',
      'src/core/unused-file.ts': 'export const nothing = 1\n',
      'package.json': toManifest({ kafkajs: '2.2.4' }),
    },
    says: ['unusedExport', 'src/core/unused-file.ts', 'kafkajs'],
  },
}

test.for(Object.keys(PLANTED))(
  'check:%s passes a clean tree and names what is planted',
  { timeout: CHECKER_TIMEOUT_MS },
  async (name) => {
    const clean = await check(name)
    expect(clean.output).not.toMatch(/\b0 modules/)
    expect(clean, clean.output).toMatchObject({ failed: false })

    const { files, says } = PLANTED[name] ?? { files: {}, says: [] }
    plant(files)
    const dirty = await check(name)
    expect(dirty.failed).toBe(true)
    for (const words of says) expect(dirty.output).toContain(words)
  },
)

test('every check of package.json has a planted violation', () => {
  const names = Object.keys(pickChecks(readManifest().scripts)).map((script) => script.slice('check:'.length))
  expect(names.toSorted()).toEqual(Object.keys(PLANTED).toSorted())
})
