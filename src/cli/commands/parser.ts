// The command line of all commands that do not parse their own arguments, and the help of all.
import { Command, CommanderError } from 'commander'
import { DataDirHeldError } from '../../gateway/compose/host-api.ts'
import { DataDirError } from '../../host/data-dir.ts'
import { EXIT, FlagError } from '../../host/exit-codes.ts'
import { NotRunningError } from '../../host/gateway-client.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { note } from '../terminal/print.ts'
import { computeWidth } from '../terminal/text.ts'
import { addExamples, restoreNulls } from './options.ts'
import { type CommandRow, commandTable, seeHelp } from './table.ts'

/** Parses and runs a command line; `row` is the command that it names. Returns the exit code. Throws FlagError. */
export async function parse(args: readonly string[], row: CommandRow | undefined): Promise<number> {
  const program = createProgram(row)
  for (const each of commandTable) await addCommand(program, each, each === row)
  if (args.length === 0) {
    program.outputHelp({ error: true })
    return EXIT.badFlags
  }
  process.exitCode = EXIT.done
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(error)
    // The help or the message was printed already.
    return error.exitCode === 0 ? EXIT.done : EXIT.badFlags
  }
  return Number(process.exitCode)
}

/** The whole program, for completion. */
export async function loadProgram(): Promise<Command> {
  const program = createProgram(undefined)
  for (const row of commandTable) await addCommand(program, row, true)
  return program
}

function createProgram(row: CommandRow | undefined): Command {
  const program = new Command('tollgate')
    .description('A private, metered gateway on your own machine to every language model you use.')
    .usage('<command> [options]')
    .option('-v, --version', 'print the version')
    .enablePositionalOptions()
    .configureHelp({ displayWidth: computeWidth, sortSubcommands: false })
    .configureOutput({ outputError: (message, write) => write(toSentence(message, row)) })
    .helpCommand(false)
    .exitOverride()
    .hook('preAction', (_program, command) => restoreNulls(command))
  addExamples(
    program,
    ['tollgate run --cap 2 -- claude', 'tollgate spend month --by tag', 'tollgate logs --follow'],
    EXIT_CODES,
  )
  return program
}

const EXIT_CODES = `"tollgate <command> --help" has more, with examples. Data goes to stdout, messages go to stderr.

Exit codes: 0 success, 1 failure, 2 bad usage, 3 data folder unusable, in use or from a newer version, 4 port in use,
5 Node.js too old, 6 Tollgate is not running. "tollgate run" ends with the exit code of its command, or 126 if that
cannot be executed and 127 if it is not found.`

async function addCommand(program: Command, row: CommandRow, isWhole: boolean): Promise<void> {
  const command = program
    .command(row.name)
    .helpCommand(false)
    .summary(row.summary)
    .description(toDescription(row.summary))
  command.helpGroup(`${row.group}:`)
  if (isWhole) (await row.load()).define(command)
}

function toDescription(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

/** Commander's `error: unknown option '--x'` in the form of the other messages. */
function toSentence(message: string, row: CommandRow | undefined): string {
  const [first = '', ...rest] = message
    .replace(/^error: /, '')
    .trim()
    .split('\n')
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1)}`.replace(/[^.?!]$/, '$&.')
  return `tollgate: ${[sentence, ...rest].join(' ')} ${seeHelp(row)}\n`
}

/** Prints why a command failed, and returns the exit code. */
function report(error: unknown): number {
  if (error instanceof FlagError) throw error
  note(`tollgate: ${errorMessage(error)}\n`)
  if (error instanceof NotRunningError) return EXIT.notRunning
  return error instanceof DataDirError || error instanceof DataDirHeldError ? EXIT.dataDir : EXIT.failed
}
