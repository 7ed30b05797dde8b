import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const statusCommand: CommandRow = {
  name: 'status',
  summary: 'what status bars show: today, caps, plans, the session',
  group: 'Look',
  load: () => import('./status-help.ts'),
  direct: () => import('./status.ts').then(({ status }) => status),
}
