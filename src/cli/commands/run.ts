import { type Command, InvalidArgumentError } from 'commander'
import { type RunOptions, runWithKey } from '../run/run-command.ts'
import {
  addExamples,
  dataDirOption,
  parseCap,
  parseCount,
  parseLimits,
  parseModels,
  parseMoment,
} from './options.ts'

/** A run that crashed leaves its key; so long does that stay valid. */
const DEFAULT_EXPIRY = '24h'
/** The default cap, as for keys that are created in the window. */
const DEFAULT_CAP = 5

export function define(command: Command): void {
  command
    .usage('[options] -- <command> [args…]')
    .description(
      'Run a command with a key of its own: capped, logged under its project, and revoked at the end.',
    )
    .argument('<command...>', 'the command and its arguments, after --')
    .passThroughOptions()
    .option(
      '--cap <usd>',
      'the spend cap of the run, in USD, or none; it stops mistakes, not a program that changes it as you could',
      parseCap,
      DEFAULT_CAP,
    )
    .option(
      '--strict',
      'admit a request only if its highest possible cost fits, so that the cap is never exceeded',
    )
    .option('--limit <usd/period,…>', 'further limits: 3/session, 1/subagent', parseLimits)
    .option('--max-subagents <n>', 'how many sub-agents may work at the same time', parseCount)
    .option('--name <name>', 'the name of the key and the run (default: the command)')
    .option('--model <id>', 'the model that the tool uses; else its own choice, where Tollgate has it')
    .option(
      '--allow-models <ids>',
      'the only models that the run may use, separated by commas, with *',
      parseModels,
    )
    .option(
      '--expires <when>',
      `when the key ends at the latest: 2h, 7d or a date-time (default: ${DEFAULT_EXPIRY})`,
      parseEnd,
    )
    .option('--tag <project>', 'the project (default: the Git repository; "" for none)')
    .option(
      '--plan',
      'Claude Code and Codex keep the sign-in of their plan: nothing is charged, the limits of the run hold',
    )
    .option('--no-plan', 'the key pays, also where the tool is signed in to a plan')
    .option('--json', 'print the receipt as a line of JSON, as the last one on stderr')
    .option('--receipt <file>', 'also write the receipt as JSON to a file')
    .addOption(dataDirOption())
    .action(async (words: string[], options: Omit<RunOptions, 'expires'> & { expires?: string }) => {
      const expires = options.expires ?? parseEnd(DEFAULT_EXPIRY)
      process.exitCode = await runWithKey(words, { ...options, expires })
    })
  addExamples(
    command,
    [
      'tollgate run -- claude',
      'tollgate run --cap 2 --name "fix flaky test" -- claude -p "Fix the flaky test"',
      'tollgate run --cap 1 --strict -- python agent.py',
      'tollgate run --cap 1 --model gpt-5.5 -- codex exec "Write the tests"',
      'tollgate run --plan -- claude',
      'tollgate run --cap 5 --limit 1/subagent --max-subagents 4 -- claude',
      'tollgate run --allow-models "claude-*" --expires 2h -- opencode',
      'tollgate run --json -- python agent.py 2> run.log',
    ],
    `The command gets the base URLs and the key in the variables that clients of OpenAI's, Anthropic's and Google's APIs,
Claude Code, Gemini CLI, opencode, Kilo Code, Copilot CLI and Aider read; Codex gets them as overrides of its
configuration. Its stdout stays its own: the receipt goes to stderr. Signals go to the command, and tollgate ends as it
does.`,
  )
}

function parseEnd(text: string): string {
  const moment = parseMoment(text, Date.now(), 1)
  if (Date.parse(moment) <= Date.now()) throw new InvalidArgumentError('Give a time that is not over yet.')
  return moment
}
