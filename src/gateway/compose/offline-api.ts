// The work of commands on a data folder, or on a file of it, while no gateway runs.

export { createAdminKey, resetAdminKeys } from '../keys/admin-key.ts'
export { verifyReceipt } from '../observe/receipts/verify-receipt.ts'
export { findOlderBackup, listBackups } from '../store/engine/backup.ts'
export { scheduleRestore } from '../store/engine/backup-tasks.ts'
export { readBackupKeys } from '../store/engine/foreign-backup.ts'
export { migrations } from '../store/engine/migrations.ts'
