import { approveCommand } from '../../features/approvals/cli/command.ts'
import { batchesCommand } from '../../features/batches/cli/command.ts'
import { plansCommand } from '../../features/plan-fit/cli/command.ts'
import { cacheCommand } from '../../features/prompt-doctor/cli/command.ts'
import { receiptCommand } from '../../features/receipts/cli/command.ts'
import { reconcileCommand } from '../../features/reconcile/cli/command.ts'
import { repriceCommand } from '../../features/reprice/cli/command.ts'
import { statusCommand } from '../../features/status/cli/command.ts'
import type { CommandRow } from './command-row.ts'

/** In the order of `tollgate --help`. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'run',
    summary: 'run a command with a key of its own, which has a cap',
    group: 'Work',
    load: () => import('./run.ts'),
  },
  {
    name: 'statusline',
    summary: 'one line for the status line of Claude Code or a prompt',
    group: 'Work',
    load: () => import('./own-arguments.ts').then(({ statuslineHelp }) => ({ define: statuslineHelp })),
    direct: () => import('../statusline.ts').then(({ statusline }) => statusline),
  },
  statusCommand,
  {
    name: 'git-hook',
    summary: 'record the branch of a session, as a hook of Claude Code',
    group: 'Work',
    load: () => import('./own-arguments.ts').then(({ gitHookHelp }) => ({ define: gitHookHelp })),
    direct: () => import('../git/hook.ts').then(({ gitHook }) => gitHook),
  },
  {
    name: 'pause',
    summary: 'stop all requests to models, or those of one key',
    group: 'Work',
    load: () => import('./pause.ts'),
  },
  {
    name: 'resume',
    summary: 'let paused requests go on',
    group: 'Work',
    load: () => import('./resume.ts'),
  },
  approveCommand,
  {
    name: 'keys',
    summary: 'list, create, cap and revoke API keys',
    group: 'Look',
    load: () => import('./keys.ts'),
  },
  {
    name: 'spend',
    summary: 'what was spent today, this week and this month',
    group: 'Look',
    load: () => import('./spend.ts'),
  },
  batchesCommand,
  cacheCommand,
  {
    name: 'git-cost',
    summary: 'what commits and branches of this repository have cost',
    group: 'Look',
    load: () => import('./git-cost.ts'),
  },
  {
    name: 'logs',
    summary: 'the last requests, and new ones as they end',
    group: 'Look',
    load: () => import('./logs.ts'),
  },
  {
    name: 'sessions',
    summary: 'runs of agents, and the steps and the cost of one',
    group: 'Look',
    load: () => import('./sessions.ts'),
  },
  receiptCommand,
  {
    name: 'import',
    summary: 'what coding agents on this computer have used, from their own logs',
    group: 'Look',
    load: () => import('./import.ts'),
  },
  {
    name: 'models',
    summary: 'list models with their prices',
    group: 'Look',
    load: () => import('./models.ts'),
  },
  {
    name: 'estimate',
    summary: 'what requests would cost',
    group: 'Look',
    load: () => import('./estimate.ts'),
  },
  repriceCommand,
  plansCommand,
  reconcileCommand,
  {
    name: 'providers',
    summary: 'list and test providers',
    group: 'Look',
    load: () => import('./providers.ts'),
  },
  {
    name: 'mcp',
    summary: 'serve costs and prices to an agent, on stdin and stdout',
    group: 'Work',
    load: () => import('../mcp/mcp-command.ts'),
  },
  {
    name: 'doctor',
    summary: 'examine this installation, and say what to do',
    group: 'Look',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'serve',
    summary: 'run the gateway without a window',
    group: 'Set up',
    load: () => import('./own-arguments.ts').then(({ serveHelp }) => ({ define: serveHelp })),
    direct: () =>
      Promise.all([import('../serve.ts'), import('../../host/flags.ts')]).then(
        ([{ serve }, { readFlags }]) =>
          (args) =>
            serve(readFlags(args)),
      ),
  },
  {
    name: 'setup',
    summary: 'write the configuration of a tool',
    group: 'Set up',
    load: () => import('./setup.ts'),
  },
  {
    name: 'admin-key',
    summary: 'create an admin key when all are lost',
    group: 'Set up',
    load: () => import('./admin-key.ts'),
  },
  {
    name: 'restore',
    summary: 'go back to a backup, while Tollgate is stopped',
    group: 'Set up',
    load: () => import('./restore.ts'),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    group: 'Set up',
    load: () => import('./completion.ts'),
  },
]
