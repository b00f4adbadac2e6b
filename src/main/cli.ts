#!/usr/bin/env node
/** Entry point of the command line. Only `serve`, `demo` and `plan` do work of their own; all else talks HTTP. */
import { Command, CommanderError } from 'commander'
import { styleText } from 'node:util'
import { COMMAND_NAME } from '../cli/command-name.ts'
import { addClientCommands } from '../cli/commands.ts'
import type { ChainLink } from '../planner/plan-chain.ts'
import { readStatement, showingPlace } from '../cli/statement-source.ts'
import { loadConfig } from '../config.ts'
import { ERROR_CODES, RollupdError } from '../core/errors.ts'
import { readVersion } from './version.ts'

const EXIT_USAGE = 2

const write = (text: string) => process.stdout.write(`${text}\n`)

function buildProgram(): Command {
  const program = new Command(COMMAND_NAME)
    .description('Live SQL rollups over Kafka topics: exact aggregates of a stream, read over HTTP.')
    .version(readVersion())
    .showHelpAfterError(`("${COMMAND_NAME} --help" lists the commands)`)
    .exitOverride()
    .addHelpText(
      'after',
      `
From records to numbers:
  ${COMMAND_NAME} serve
  ${COMMAND_NAME} produce orders orders.ndjson --create 4
  ${COMMAND_NAME} create orders orders.sql --topic orders
  ${COMMAND_NAME} query "SELECT * FROM orders LIMIT 10"

Exit codes: 0 done, 1 refused (bad statement, unknown name), 2 wrong usage or configuration, 3 server or broker away
(may be tried again), 4 the data directory is in use, 70 an unexpected error.

Variables: ROLLUPD_URL, ROLLUPD_TOKEN; for serve also ROLLUPD_DATA, ROLLUPD_LISTEN, ROLLUPD_KAFKA,
ROLLUPD_CONFIG, ROLLUPD_LOG_LEVEL.`,
    )

  program
    .command('demo')
    .description('embedded log, sample events and an example rollup; needs nothing else')
    .option('--once', 'check the answer against the raw events, print it and end')
    .option('--listen <host:port>', 'address of the service', '127.0.0.1:0')
    .action(async (flags: { once?: boolean; listen: string }) => {
      const { runDemo } = await import('./demo.ts')
      process.exitCode = await runDemo({ once: flags.once === true, listen: flags.listen, write })
    })

  program
    .command('serve')
    .description('run the service')
    .option('--data <dir>', 'directory of the data (default ./rollupd-data)')
    .option('--listen <host:port>', 'address to listen on; port 0 takes a free one (default 127.0.0.1:8090)')
    .option('--kafka <host:port,...>', 'brokers to begin with; without it the embedded log serves')
    .option('--config <file>', 'YAML file with options; flags and variables go before it')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default info)')
    .action(async (flags: { data?: string; listen?: string; kafka?: string; config?: string; logLevel?: string }) => {
      const config = loadConfig({ flags, environment: process.env })
      const { startService } = await import('./service.ts')
      const service = await startService(config)
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void service.stop())
      write(`listening on ${service.url}`)
      await service.stopped
    })

  program
    .command('plan')
    .description("show both halves of a statement, its states and the leaf's tables; needs no server")
    .argument('<file>', 'file with one SQL statement; - is standard input')
    .option(
      '--source <file...>',
      'of a statement over another rollup: the statement of that one, then of what that one reads, and so on',
    )
    .option('--json', 'print the plan as JSON, for scripts')
    .action(async (file: string, flags: { source?: string[]; json?: boolean }) => {
      const { createPlanner } = await import('./create-planner.ts')
      const { describePlan } = await import('../cli/describe-plan.ts')
      const { planChain } = await import('../planner/plan-chain.ts')
      const link = (name: string): ChainLink => {
        const written = readStatement(name)
        return { sql: written.sql, telling: async (run) => await showingPlace(written, run) }
      }
      const plan = await planChain([link(file), ...(flags.source ?? []).map(link)], await createPlanner())
      write(flags.json === true ? JSON.stringify(plan, undefined, 2) : describePlan(plan))
    })

  addClientCommands(program, { write })
  return program
}

/** On a terminal only, and not where NO_COLOR is set. */
function toRed(text: string): string {
  return styleText('red', text, { stream: process.stderr })
}

function tellError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (!(error instanceof RollupdError)) {
    process.stderr.write(
      `${toRed('unexpected error')}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    return ERROR_CODES.internal.exit
  }
  const position = error.position === undefined ? '' : ` (at character ${error.position})`
  process.stderr.write(`${toRed('error')} ${error.code}: ${error.message}${position}\n`)
  if (error.hint !== undefined) process.stderr.write(`${error.hint}\n`)
  return error.kind.exit
}

// whoever reads our output may stop reading, as head does
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

// the service, the demo and the planner are loaded where they are used: a client's command starts in half the time without them
try {
  await buildProgram().parseAsync()
} catch (error) {
  process.exitCode = tellError(error)
}
