import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const batchesCommand: CommandRow = {
  name: 'batches',
  summary: 'list batches with their progress and cost, or cancel one',
  group: 'Look',
  load: () => import('./batches.ts'),
}
