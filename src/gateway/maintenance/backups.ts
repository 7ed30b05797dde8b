import type { Backup, BackupList } from '../../shared/api/account.ts'
import type { ActivityActor } from '../../shared/api/activity.ts'
import { formatTime } from '../platform/clock.ts'
import { type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import type {
  ImportRefusal,
  Restoration,
  RestoreRefusal,
  Store,
  StoredBackup,
  StoredBackups,
} from '../store/store.ts'

export class Backups {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async list(): Promise<BackupList> {
    return toBackupList(await this.#store.backups())
  }

  async create(): Promise<Backup> {
    return toBackup(await this.#store.backup())
  }

  /** The path of its file. Throws 404. */
  async getPath(id: string): Promise<string> {
    const path = await this.#store.backupPath(id)
    if (path === null) throw unknownBackup(id)
    return path
  }

  /** Adds a backup that the user has as a file. Throws 400 `backup_unusable`, and the error of `chunks`. */
  async import(chunks: AsyncIterable<Uint8Array>): Promise<Backup> {
    const added = await this.#store.importBackup(chunks)
    if ('reason' in added) throw refusedImport(added)
    return toBackup(added)
  }

  /** Throws 404, and 400 `backup_unusable` for one that could not replace the database. */
  async scheduleRestore(id: string, by: ActivityActor): Promise<BackupList> {
    return listOrThrow(id, await this.#store.scheduleRestore(id, by))
  }

  /** Does nothing for a backup whose restore is not pending. Throws 404. */
  async cancelRestore(id: string): Promise<BackupList> {
    return listOrThrow(id, await this.#store.cancelRestore(id))
  }
}

/** The log line of a start that restored a backup. */
export function restoredNotice({ backup: id, madeAt, movedTo, requested }: Restoration): string {
  const why = requested ? 'As requested' : 'Because the database was damaged or missing'
  const old = movedTo === null ? '' : ` The old database is now ${movedTo}.`
  return `${why}, the backup ${id} of ${formatTime(madeAt)} was restored. It contains nothing that happened since, not even spend.${old}`
}

function listOrThrow(id: string, answer: StoredBackups | RestoreRefusal): BackupList {
  if ('reason' in answer) throw toGatewayError(id, answer)
  return toBackupList(answer)
}

function toGatewayError(id: string, refusal: RestoreRefusal): GatewayError {
  switch (refusal.reason) {
    case 'unknown':
      return unknownBackup(id)
    case 'damaged':
      return unusable(`The backup "${id}" is damaged (${refusal.detail}). Choose another one.`)
    case 'newer':
      return unusable(`The backup "${id}" cannot be restored by this version. ${refusal.detail}`)
  }
}

function unknownBackup(id: string): GatewayError {
  return notFound(`There is no backup "${id}". GET /v1/backups lists them.`)
}

function unusable(message: string): GatewayError {
  return invalidRequest(message, { param: 'id', code: 'backup_unusable' })
}

function refusedImport(refusal: ImportRefusal): GatewayError {
  return invalidRequest(importMessage(refusal), { code: 'backup_unusable' })
}

function importMessage(refusal: ImportRefusal): string {
  switch (refusal.reason) {
    case 'foreign':
      return 'This file is not a backup of Tollgate. Choose one that was exported from its settings.'
    case 'damaged':
      return `This file is damaged (${refusal.detail}). Export the backup again, or choose another one.`
    case 'newer':
      return `This file cannot be imported. ${refusal.detail}`
  }
}

function toBackupList({ backups, restoreAtStart }: StoredBackups): BackupList {
  return { data: backups.map(toBackup), restoreAtStart }
}

function toBackup({ id, madeAt, bytes, imported }: StoredBackup): Backup {
  return { id, madeAt: formatTime(madeAt), bytes, imported }
}
