/**
 * Owns the words of ./dev and their help; each is a file in commands/. `rollupd` and `demo` never arrive here: the launcher
 * becomes those processes itself.
 */
import { Command, CommanderError } from 'commander'
import colors from 'picocolors'
import { CommandError } from './command-error.ts'
import { runAgainst } from './commands/bench-against.ts'
import { BENCH_FOLDER, runAllBenches } from './commands/bench.ts'
import { runChecks } from './commands/check.ts'
import { runKafka } from './commands/kafka.ts'
import { listScripts, runScripts } from './commands/scripts.ts'
import { runTests } from './commands/test.ts'
import { runDown, runLogs, runUp, type UpOptions } from './commands/up.ts'
import { KafkaMissing } from './kafka/kafka-broker.ts'

const FUZZ_FOLDER = 'test/fuzz'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

function makeProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('./dev')
  program.description("the developer's launcher of rollupd; it installs and fetches what each word needs")
  program.helpCommand('help [word]', 'help for one word')
  program.showHelpAfterError('`./dev help` lists the words')
  program.enablePositionalOptions()
  program.exitOverride()

  // help only: see the launcher
  program
    .command('demo')
    .description('the example rollup on sample events, with its address (--once: check it and exit)')
  program.command('rollupd [args...]').description('the command line of rollupd: become that process')

  program
    .command('test [words...]')
    .description('run the tests: all, `unit` (no broker), `kafka`, or folders of test/; flags for vitest after `--`')
    .action(async (words: string[], _options, command: Command) => {
      const split = process.argv.indexOf('--')
      const flags = split < 0 ? [] : process.argv.slice(split + 1)
      setExitCode(await runTests(words.slice(0, command.args.length - flags.length), flags))
    })

  program
    .command('check [names...]')
    .description('types, lint, format, imports, unused code: all or the named ones')
    .action(async (names: string[]) => setExitCode(await runChecks(names)))

  addScriptCommand(program, 'bench', BENCH_FOLDER)
    .option('--against <revision>', 'in turn with another revision: which is faster')
    .option('--pairs <n>', 'runs of each revision', Number, 8)
    .action(
      async (
        name: string | undefined,
        args: string[],
        options: { list?: boolean; against?: string; pairs: number },
      ) => {
        if (options.list === true) listScriptNames(BENCH_FOLDER)
        else if (options.against !== undefined) {
          setExitCode(await runAgainst({ revision: options.against, pairs: options.pairs, name, args }))
        } else if (name === undefined) setExitCode(await runAllBenches())
        else setExitCode(await runScripts(BENCH_FOLDER, name, args))
      },
    )
  addScriptCommand(program, 'fuzz', FUZZ_FOLDER).action(
    async (name: string | undefined, args: string[], options: { list?: boolean }) => {
      if (options.list === true) listScriptNames(FUZZ_FOLDER)
      else setExitCode(await runScripts(FUZZ_FOLDER, name, args))
    },
  )

  program
    .command('kafka')
    .description('a Kafka broker in the foreground, on a free port')
    .option('--port <port>', 'the port of 127.0.0.1', Number)
    .option('--data <folder>', 'keep its data there (default: a temporary folder)')
    .action(async (options: { port?: number; data?: string }) => {
      const { port, data } = options
      setExitCode(
        await runKafka({
          ...(port === undefined ? {} : { port }),
          ...(data === undefined ? {} : { dataDir: data }),
        }),
      )
    })

  program
    .command('up [profile]')
    .description('start the parts of a profile of dev.yml, until Ctrl-C')
    .option('--fresh', "with empty data instead of the profile's last")
    .action(async (profile: string | undefined, options: UpOptions) =>
      setExitCode(await runUp(profile ?? 'default', options)),
    )
  program
    .command('logs <name>')
    .description('what a part of the last `up` has printed')
    .option('-f, --follow', 'and what it prints from now on')
    .action(async (name: string, options: { follow?: boolean }) =>
      setExitCode(await runLogs(name, options.follow === true)),
    )
  program
    .command('down')
    .description('stop what `up` runs in another terminal, or left behind')
    .action(async () => setExitCode(await runDown()))
  return program
}

function addScriptCommand(program: Command, word: string, folder: string): Command {
  return program
    .command(`${word} [name] [args...]`)
    .description(`run ${folder}/NAME.ts, or all of them: ${listScripts(folder).join(', ') || 'none yet'}`)
    .option('--list', 'only list them')
    .passThroughOptions()
    .allowUnknownOption()
}

function listScriptNames(folder: string): void {
  for (const script of listScripts(folder)) process.stdout.write(`${script}\n`)
}

/** `./dev logs kafka | head`: whoever reads has seen enough. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT_FAILED)
}

async function main(): Promise<void> {
  process.stdout.on('error', endWithReader)
  const program = makeProgram((code) => {
    process.exitCode = code
  })
  try {
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      // help was asked for, or commander has said what is wrong
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE
      return
    }
    if (!(error instanceof CommandError || error instanceof KafkaMissing)) throw error
    process.stderr.write(`${colors.red('error:')} ${error.message}\n`)
    if (error instanceof CommandError && error.hint !== undefined) process.stderr.write(`${error.hint}\n`)
    process.exitCode = EXIT_FAILED
  }
}

await main()
