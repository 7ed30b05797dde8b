// The work of commands while no gateway runs: on a data folder, or on the logs of agents.

import type { readHistory as ReadHistory } from '../../features/history/gateway/read-history.ts'

export type { ToolHistory } from '../../features/history/gateway/read-history.ts'
export { createAdminKey, resetAdminKeys } from '../keys/admin-key.ts'
export { findOlderBackup, listBackups } from '../store/engine/backup.ts'
export { scheduleRestore } from '../store/engine/backup-tasks.ts'
export { readBackupKeys } from '../store/engine/foreign-backup.ts'
export { latestSchema } from '../store/engine/migrations.ts'

/** Loads the readers of logs when it is called, because programs that work on a data folder need none of them. */
export const readHistory: typeof ReadHistory = async (options) =>
  (await import('../../features/history/gateway/read-history.ts')).readHistory(options)
