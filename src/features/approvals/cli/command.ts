import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const approveCommand: CommandRow = {
  name: 'approve',
  summary: 'answer a limit that asks: allow more, or stop',
  group: 'Work',
  load: () => import('./approve.ts'),
}
