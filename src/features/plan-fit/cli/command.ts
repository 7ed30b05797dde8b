import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const plansCommand: CommandRow = {
  name: 'plans',
  summary: 'which plan of a vendor would fit what you use',
  group: 'Look',
  load: () => import('./plans.ts'),
}
