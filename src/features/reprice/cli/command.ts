import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const repriceCommand: CommandRow = {
  name: 'reprice',
  summary: 'what past requests would have cost with other models',
  group: 'Look',
  load: () => import('./reprice.ts'),
}
