/**
 * Owns how tests run. `kafka` is test/integration/kafka*, which shares one broker that is started for the run; `service` starts
 * rollupd, parts of it or the tools as processes, and waits for time-outs; `package` packs and installs what is published; `unit` is everything else, and quick. Words
 * of ./dev test choose among them (tools/commands/test.ts).
 */
import { defineConfig } from 'vitest/config'

const KAFKA_TESTS = ['test/integration/kafka*.test.ts', 'test/integration/kafka*/**/*.test.ts']
const PACKAGE_TESTS = ['test/tools/package.test.ts']
const SERVICE_TESTS = [
  'test/{integration,main,tools}/**/*.test.ts',
  'test/docs/readme.test.ts',
  'test/leaf/crash.test.ts',
  'test/query/query-service.test.ts',
  'test/adapters/kafka/broker-away.test.ts',
  'test/service/preview.test.ts',
  'test/http/preview.test.ts',
  'test/http/views.test.ts',
  // no process, but two database engines and a quarter of a minute
  'test/property/properties.test.ts',
]
/** Machines that run the tests have two cores; a service under test takes processes of its own. */
const WORKERS_MAX = 2
const UNIT_TIMEOUT_MS = 20_000
/** A start takes a second or, on a machine that does much else, several. */
const SERVICE_TIMEOUT_MS = 60_000
/** A broker's elections, retention and compaction take seconds each. */
const KAFKA_TIMEOUT_MS = 90_000

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: WORKERS_MAX,
    reporters: ['default', './tools/test-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // a process for each of the files costs more than most of them; none leaves anything behind in its process
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...KAFKA_TESTS, ...PACKAGE_TESTS, ...SERVICE_TESTS],
          testTimeout: UNIT_TIMEOUT_MS,
          hookTimeout: UNIT_TIMEOUT_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: SERVICE_TESTS,
          exclude: [...KAFKA_TESTS, ...PACKAGE_TESTS],
          testTimeout: SERVICE_TIMEOUT_MS,
          hookTimeout: SERVICE_TIMEOUT_MS,
        },
      },
      { extends: true, test: { name: 'package', include: PACKAGE_TESTS } },
      {
        extends: true,
        test: {
          name: 'kafka',
          include: KAFKA_TESTS,
          globalSetup: ['./test/support/kafka-for-run.ts'],
          testTimeout: KAFKA_TIMEOUT_MS,
          hookTimeout: KAFKA_TIMEOUT_MS,
        },
      },
    ],
  },
})
