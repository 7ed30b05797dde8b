// The work of commands on a data folder while no gateway runs.

export { createAdminKey, resetAdminKeys } from '../keys/admin-key.ts'
export { findOlderBackup, listBackups } from '../store/engine/backup.ts'
export { scheduleRestore } from '../store/engine/backup-tasks.ts'
export { readBackupKeys } from '../store/engine/foreign-backup.ts'
export { latestSchema } from '../store/engine/migrations.ts'
