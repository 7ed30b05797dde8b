// `tollgate`: finds the command in the table, and runs it.

import { EXIT, FlagError } from '../host/exit-codes.ts'
import { type CommandRow, commandTable, seeHelp } from './commands/table.ts'

/** Runs a command line (without `node` and the script) and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${(await import('../host/files.ts')).appVersion()}\n`)
    return EXIT.done
  }
  // Called by the scripts of `tollgate completion`.
  if (name === 'complete') {
    const [{ complete }, { loadProgram }] = await Promise.all([
      import('./commands/complete.ts'),
      import('./commands/parser.ts'),
    ])
    return complete(await loadProgram(), rest)
  }
  // `help run` is `run --help`.
  const words = name === 'help' ? [...rest.slice(0, 1), '--help'] : args
  const row = commandTable.find((each) => each.name === words[0])
  try {
    if (row?.direct && !asksForHelp(words)) return await (await row.direct())(rest)
    return await runParsed(words, row)
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    process.stderr.write(`tollgate: ${error.message} ${seeHelp(row)}\n`)
    return EXIT.badFlags
  }
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

async function runParsed(args: readonly string[], row: CommandRow | undefined): Promise<number> {
  const { parse } = await import('./commands/parser.ts')
  return parse(args, row)
}
