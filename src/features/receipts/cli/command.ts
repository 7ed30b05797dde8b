import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const receiptCommand: CommandRow = {
  name: 'receipt',
  summary: 'the receipt of a request, a session or a month',
  group: 'Look',
  load: () => import('./receipt.ts'),
}
