/**
 * Owns which folder may import which (docs/ARCHITECTURE.md): imports point one way, one adapter per library, no cycles.
 * `npm run check` runs it; test/tools/checkers.test.ts plants a violation of each rule.
 */

/** From the middle outwards: a folder imports its own and those before it. Type-only imports count too. */
const LAYERS = [
  ['core'],
  ['sql', 'records', 'aggregates'],
  ['planner'],
  ['aggregator'],
  ['tailer', 'leaf', 'query'],
  ['service'],
  ['http', 'cli', 'adapters'],
  ['main'],
]

/** Adapters wait on ports that live with their callers; these files of src/ are no layer. */
const folders = (layers) => layers.flat().join('|')

const directionRules = LAYERS.slice(0, -1).map((layer, index) => ({
  name: `direction-${layer.join('-')}`,
  comment: `${layer.join(', ')} must not know what is built on them`,
  severity: 'error',
  from: { path: `^src/(${layer.join('|')})/` },
  to: { path: `^src/(${folders(LAYERS.slice(index + 1))})/` },
}))

/** Library -> the only places that import it. */
const LIBRARIES = {
  kafkajs: '^(src/adapters/kafka/|tools/generator-kafka\\.ts)',
  'better-sqlite3': '^src/(leaf|query|adapters/embedded|main)/',
  'libpg-query': '^src/sql/',
  re2js: '^src/sql/',
  fastify: '^src/http/',
  'prom-client': '^src/(http|service|main)/',
  commander: '^(src/(cli|main)|tools)/',
}

const libraryRules = Object.entries(LIBRARIES).map(([library, home]) => ({
  name: `only-home-imports-${library}`,
  comment: `${library} stays behind ${home}, so that another library can take its place`,
  severity: 'error',
  from: { path: '^(src|tools)/', pathNot: home },
  to: { path: `(^|/)node_modules/(@types/)?${library}(/|$)` },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...directionRules,
    ...libraryRules,
    {
      name: 'no-cycles',
      comment: 'a cycle has no order in which it can be read or built',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'adapters-apart',
      comment: 'one adapter does not know another',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
    },
    {
      name: 'product-apart-from-tools',
      comment: 'what is shipped does not use what only a checkout has',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|tools|bench)/', pathNot: '^src/' },
    },
    {
      name: 'no-development-packages-in-product',
      comment: 'a published package brings its dependencies, not its devDependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only', 'npm'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'an import that leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphans',
      comment: 'a module that nothing uses and that uses nothing',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '\\.d\\.ts$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
