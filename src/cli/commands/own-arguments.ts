// The help of the commands that parse their own arguments.
import type { Command } from 'commander'
import { addExamples, dataDirOption, LOG_LEVEL } from './options.ts'

export function serveHelp(command: Command): void {
  command
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
    .option(...LOG_LEVEL)
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
