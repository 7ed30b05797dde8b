import type { Command } from 'commander'

/** One command of the program. Its module is loaded only when it runs, or for its help. */
export interface CommandRow {
  name: string
  summary: string
  group: 'Work' | 'Look' | 'Set up'
  load(): Promise<CommandModule>
  /** Runs a command that parses its own arguments, without the argument parser. Returns the exit code. */
  direct?(): Promise<(args: readonly string[]) => Promise<number>>
}

interface CommandModule {
  /** Adds the arguments, options, examples and, unless it is direct, the action. */
  define(command: Command): void
}

/** Where the user finds what is right. */
export function seeHelp(row: CommandRow | undefined): string {
  return `See tollgate ${row ? `${row.name} ` : ''}--help.`
}
