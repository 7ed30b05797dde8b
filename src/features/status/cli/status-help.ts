import type { Command } from 'commander'
import { addDataOptions, addExamples } from '../../../cli/commands/options.ts'

export function define(command: Command): void {
  command.option('--format <template>', 'one line: {today}, {month}, {left}, {plan}, {session}')
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate status', 'tollgate status --json', "tollgate status --format '{today} · {left}'"],
    `It answers fast, loads little, and ends with 0 also when Tollgate is not running: then the JSON is
{"version": 1, "running": false}, and a line is empty.`,
  )
}
