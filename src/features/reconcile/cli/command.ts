import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const reconcileCommand: CommandRow = {
  name: 'reconcile',
  summary: "compare a provider's export with the request log",
  group: 'Look',
  load: () => import('./reconcile.ts'),
}
