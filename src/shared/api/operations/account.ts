import {
  Account,
  AccountUpdate,
  Backup,
  BackupList,
  DatabaseFile,
  PlanList,
  RestoreOptions,
  Settings,
  SettingsUpdate,
} from '../account.ts'
import { PauseAll } from '../keys.ts'
import { routes } from '../routes.ts'
import { admin, describeOperations, reading } from './operation.ts'

export const accountOperations = describeOperations(routes, { tag: 'Account', scopes: admin })({
  listPlans: {
    summary: 'List plans',
    scopes: reading,
    response: PlanList,
  },
  getAccount: {
    summary: 'Get the account',
    description: 'Returns the plan, the spend and the monthly limit.',
    scopes: reading,
    response: Account,
  },
  updateAccount: {
    summary: 'Update the account',
    description: 'Changes the plan or the monthly limit.',
    body: AccountUpdate,
    response: Account,
  },
  pauseAll: {
    summary: 'Pause everything',
    description:
      'From now on, and after a restart too, no request of any key is sent to a model: requests are 403 with the code `paused`.',
    body: PauseAll,
    optionalBody: true,
    response: Account,
  },
  resumeAll: {
    summary: 'Resume everything',
    description: 'Keys that are paused themselves stay so.',
    response: Account,
  },
  getSettings: {
    tag: 'Settings',
    summary: 'Get the settings',
    response: Settings,
  },
  updateSettings: {
    tag: 'Settings',
    summary: 'Update the settings',
    description: 'Settings that are left out keep their value.',
    body: SettingsUpdate,
    response: Settings,
  },
  listBackups: {
    tag: 'Backups',
    summary: 'List backups',
    response: BackupList,
  },
  createBackup: {
    tag: 'Backups',
    summary: 'Create a backup',
    response: Backup,
    status: 201,
  },
  getBackupFile: {
    tag: 'Backups',
    writes: true,
    summary: 'Download a backup',
    description: 'The file is an SQLite database. It has no provider credentials and no prompts.',
    response: DatabaseFile,
    file: 'response',
  },
  importBackup: {
    tag: 'Backups',
    summary: 'Add a backup from a file',
    description:
      'The body is a file that was downloaded from here, or from another installation, of up to 4 GB. It is checked, and listed as a backup that can be restored.',
    response: Backup,
    status: 201,
    file: 'body',
  },
  restoreBackup: {
    tag: 'Backups',
    summary: 'Schedule a restore',
    description:
      'At the next start the backup replaces the database. The old database is saved under another name. An imported backup may come from someone else: its keys are revoked, its providers with another address than the vendor’s are disabled, and alerts, telemetry, other origins and access from containers are off, until you allow them again.',
    body: RestoreOptions,
    optionalBody: true,
    response: BackupList,
  },
  cancelRestore: {
    tag: 'Backups',
    summary: 'Cancel a pending restore',
    response: BackupList,
  },
})
