import type { CommandRow } from '../../../cli/commands/command-row.ts'

export const cacheCommand: CommandRow = {
  name: 'cache',
  summary: 'what fills prompts, and what their caches saved and lost',
  group: 'Look',
  load: () => import('./cache.ts'),
}
