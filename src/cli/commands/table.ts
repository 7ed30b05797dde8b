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

function row(
  group: CommandRow['group'],
  name: string,
  summary: string,
  load: CommandRow['load'],
  direct?: CommandRow['direct'],
): CommandRow {
  return { group, name, summary, load, ...(direct && { direct }) }
}

/** In the order of `tollgate --help`. */
export const commandTable: readonly CommandRow[] = [
  row('Work', 'run', 'run a command with a key of its own, which has a cap', () => import('./run.ts')),
  row(
    'Work',
    'statusline',
    'one line for the status line of Claude Code or a prompt',
    () => import('./own-arguments.ts').then(({ statuslineHelp }) => ({ define: statuslineHelp })),
    () => import('../statusline.ts').then(({ statusline }) => statusline),
  ),
  row(
    'Look',
    'status',
    'what status bars show: today, caps, plans, the session',
    () => import('../../features/status/cli/status-help.ts'),
    () => import('../../features/status/cli/status.ts').then(({ status }) => status),
  ),
  row(
    'Work',
    'git-hook',
    'record the branch of a session, as a hook of Claude Code',
    () => import('./own-arguments.ts').then(({ gitHookHelp }) => ({ define: gitHookHelp })),
    () => import('../git/hook.ts').then(({ gitHook }) => gitHook),
  ),
  row('Work', 'pause', 'stop all requests to models, or those of one key', () => import('./pause.ts')),
  row('Work', 'resume', 'let paused requests go on', () => import('./resume.ts')),
  row(
    'Work',
    'approve',
    'answer a limit or a rule that asks: allow it, or stop',
    () => import('../../features/approvals/cli/approve.ts'),
  ),
  row('Look', 'keys', 'list, create, change and revoke API keys', () => import('./keys.ts')),
  row('Look', 'spend', 'what was spent today, this week and this month', () => import('./spend.ts')),
  row(
    'Look',
    'batches',
    'list batches with their progress and cost, or cancel one',
    () => import('../../features/batches/cli/batches.ts'),
  ),
  row(
    'Look',
    'rules',
    'what makes requests cheaper instead of stopping them',
    () => import('../../features/rules/cli/rules.ts'),
  ),
  row(
    'Look',
    'cache',
    'what fills prompts, and what their caches saved and lost',
    () => import('../../features/prompt-doctor/cli/cache.ts'),
  ),
  row(
    'Look',
    'git-cost',
    'what commits and branches of this repository have cost',
    () => import('./git-cost.ts'),
  ),
  row('Look', 'logs', 'the last requests, and new ones as they end', () => import('./logs.ts')),
  row('Look', 'sessions', 'runs of agents, and the steps and the cost of one', () => import('./sessions.ts')),
  row(
    'Look',
    'receipt',
    'the receipt of a request, a session or a month',
    () => import('../../features/receipts/cli/receipt.ts'),
  ),
  row(
    'Look',
    'import',
    'what coding agents on this computer have used, from their own logs',
    () => import('./import.ts'),
  ),
  row('Look', 'models', 'list models with their prices', () => import('./models.ts')),
  row('Look', 'estimate', 'what requests would cost', () => import('./estimate.ts')),
  row(
    'Look',
    'reprice',
    'what past requests would have cost with other models',
    () => import('../../features/reprice/cli/reprice.ts'),
  ),
  row(
    'Look',
    'plans',
    'which plan of a vendor would fit what you use',
    () => import('../../features/plan-fit/cli/plans.ts'),
  ),
  row(
    'Look',
    'reconcile',
    "compare a provider's export with the request log",
    () => import('../../features/reconcile/cli/reconcile.ts'),
  ),
  row('Look', 'providers', 'list and test providers', () => import('./providers.ts')),
  row(
    'Work',
    'mcp',
    'serve costs and prices to an agent, on stdin and stdout',
    () => import('../mcp/mcp-command.ts'),
  ),
  row('Look', 'doctor', 'examine this installation, and say what to do', () => import('./doctor.ts')),
  row(
    'Set up',
    'serve',
    'run the gateway without a window',
    () => import('./own-arguments.ts').then(({ serveHelp }) => ({ define: serveHelp })),
    () =>
      Promise.all([import('../serve.ts'), import('../../host/flags.ts')]).then(
        ([{ serve }, { readFlags }]) =>
          (args) =>
            serve(readFlags(args)),
      ),
  ),
  row('Set up', 'setup', 'write the configuration of a tool', () => import('./setup.ts')),
  row('Set up', 'admin-key', 'create an admin key when all are lost', () => import('./admin-key.ts')),
  row('Set up', 'restore', 'go back to a backup, while Tollgate is stopped', () => import('./restore.ts')),
  row('Set up', 'completion', 'print the completion script of a shell', () => import('./completion.ts')),
]
