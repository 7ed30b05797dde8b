// The help of the commands that parse their own arguments.
import type { Command } from 'commander'
import { configurableTools } from '../../shared/tools/tool-table.ts'
import { addExamples, dataDirOption } from './options.ts'

const logLevel = [
  '--log-level <level>',
  'debug, info (default), warn or error; also TOLLGATE_LOG_LEVEL',
] as const

export function serveHelp(command: Command): void {
  command
    .usage(
      '[--port N] [--data-dir D] [--credentials keychain|memory|env] [--open] [--listen A] [--allow-host H]',
    )
    .option(
      '--port <n>',
      'port on 127.0.0.1 and ::1; 0 for any free port (default: that in Settings, else 8655)',
    )
    .addOption(dataDirOption())
    .option(
      '--credentials <kind>',
      'where provider credentials are stored: keychain (default where there is one), memory (until exit), or env (read from TOLLGATE_CREDENTIAL_<PROVIDER> or <PROVIDER>_API_KEY, or from the file that the same name with _FILE names)',
    )
    .option('--open', 'open the interface in the browser')
    .option(
      '--listen <address>',
      'also listen on this address of the computer, such as 0.0.0.0 in a container: others can connect then, unencrypted, and still need a key',
    )
    .option(
      '--allow-host <names>',
      'names in the address under which others reach it, separated by commas, such as tollgate.example.com behind a proxy',
    )
    .option('--no-admin-key', 'create no admin key at the first start; make one with tollgate keys create')
    .option(...logLevel)
  addExamples(
    command,
    ['tollgate serve', 'tollgate serve --port 0 --data-dir /tmp/tollgate --credentials memory'],
    `When it is ready, it prints one line of JSON on stdout: baseUrl, dataDir, version, and on the first start with an
empty data folder adminKey, which is not shown again. Logs go to stderr and, as JSON, to logs/tollgate.log in the data
folder; debug logs every request, but never a prompt, an answer or a key. In a terminal, stderr also has the address to
open, the admin key and a request to try. SIGTERM and SIGINT settle running requests,
then exit.`,
  )
}

export function setupHelp(command: Command): void {
  command
    .usage(
      'TOOL [--dry-run | --undo] [--model M] [--name N] [--cap USD] [--mcp] [--git] [--plan] [--data-dir D]',
    )
    .addArgument(command.createArgument('<tool>').choices(configurableTools.map(({ id }) => id)))
    .option('--dry-run', 'only show the changes')
    .option('--undo', 'take the changes back, and revoke the key')
    .option('--model <id>', 'the model that the tool uses')
    .option('--name <name>', 'the name of its key')
    .option('--cap <usd>', 'the spend cap of its key')
    .option('--mcp', 'also give it the server of tollgate mcp, so that the agent can ask about its costs')
    .option(
      '--git',
      'also give Claude Code the hook that records branches and commits, for tollgate git-cost',
    )
    .option('--plan', 'Claude Code and Codex keep the sign-in of their plan, which pays')
    .addOption(dataDirOption())
  addExamples(
    command,
    [
      'tollgate setup codex --dry-run',
      'tollgate setup claude-code --cap 20 --mcp',
      'tollgate setup codex --undo',
    ],
    `Writes the configuration of the tool so that it calls the running gateway, and shows what it changes. It creates a key for
the tool, or writes the key in TOLLGATE_API_KEY if that is no admin key. For one run without a change of files, use
tollgate run.`,
  )
}

export function mcpHelp(command: Command): void {
  command.usage('[--data-dir D]').addOption(dataDirOption())
  addExamples(
    command,
    ['claude mcp add tollgate --env TOLLGATE_API_KEY=tg-… -- tollgate mcp'],
    `A server of the Model Context Protocol. Its tools: get_spend, get_remaining, get_model_price, find_models and
estimate_cost. It calls the gateway with the key in TOLLGATE_API_KEY, for which the key with which the agent calls models is enough,
or without one as the owner of this machine. TOLLGATE_BASE_URL is the address of a gateway with another port.`,
  )
}

export function adminKeyHelp(command: Command): void {
  command
    .option('--reset', 'also revoke the admin keys that the first start and this command created')
    .addOption(dataDirOption())
    .option(...logLevel)
  addExamples(
    command,
    ['tollgate admin-key', 'tollgate admin-key --reset'],
    `Creates a key with the scope "admin" and prints it once, as a line of JSON. Use it when you have lost every admin key.
Tollgate must not be running on that folder. With --reset, admin keys with another name than "Admin" stay valid, and
are listed.`,
  )
}

export function statuslineHelp(command: Command): void {
  command.addOption(dataDirOption())
  addExamples(
    command,
    [`PS1='$(tollgate statusline) $ '`],
    `Prints what this session, this run or this day has cost, and what is left of the nearest limit. It reads what Claude
Code writes to a status line command; set it in ~/.claude/settings.json:
  { "statusLine": { "type": "command", "command": "tollgate statusline" } }
In a command of tollgate run it is about that run. It never waits longer than 0.3 s, and prints nothing when Tollgate is
not running.`,
  )
}

export function gitHookHelp(command: Command): void {
  command.addOption(dataDirOption())
  addExamples(
    command,
    ['tollgate setup claude-code --git'],
    `Reads what Claude Code writes to the commands of its hooks, and records the repository, the branch and the commits of the
session. It prints nothing and always ends with 0. To write it to ~/.claude/settings.json by hand, for SessionStart, Stop
and SessionEnd:
  { "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "tollgate git-hook" }] }] } }`,
  )
}
