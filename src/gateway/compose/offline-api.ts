// The work of commands while no gateway runs: on a data folder, or on the logs of agents.

export { readHistory, type ToolHistory } from '../features/history/read-history.ts'
export { createAdminKey, resetAdminKeys } from '../keys/admin-key.ts'
export { findOlderBackup, listBackups } from '../store/engine/backup.ts'
export { scheduleRestore } from '../store/engine/backup-tasks.ts'
export { readBackupKeys } from '../store/engine/foreign-backup.ts'
export { latestSchema } from '../store/engine/migrations.ts'
