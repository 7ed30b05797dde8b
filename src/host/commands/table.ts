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
    name: 'keys',
    summary: 'list, create, cap and revoke API keys',
    group: 'Look',
    load: () => import('./keys.ts'),
  },
  {
    name: 'serve',
    summary: 'run the gateway without a window',
    group: 'Set up',
    load: () => import('./own-arguments.ts').then(({ serveHelp }) => ({ define: serveHelp })),
    direct: () =>
      Promise.all([import('../serve.ts'), import('../flags.ts')]).then(
        ([{ serve }, { readFlags }]) =>
          (args) =>
            serve(readFlags(args)),
      ),
  },
  {
    name: 'setup',
    summary: 'write the configuration of a tool',
    group: 'Set up',
    load: () => import('./own-arguments.ts').then(({ setupHelp }) => ({ define: setupHelp })),
    direct: () => import('../setup-command.ts').then(({ setUpTool }) => setUpTool),
  },
  {
    name: 'admin-key',
    summary: 'create an admin key, when all are lost',
    group: 'Set up',
    load: () => import('./own-arguments.ts').then(({ adminKeyHelp }) => ({ define: adminKeyHelp })),
    direct: () => import('../admin-key.ts').then(({ runAdminKey }) => runAdminKey),
  },
]
