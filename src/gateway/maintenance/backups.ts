import type { Backup, BackupList } from '../../shared/api/account.ts'
import { formatTime } from '../platform/clock.ts'
import { type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import type {
  BackupRefusal,
  Restoration,
  RestoreChoice,
  Store,
  StoredBackup,
  StoredBackups,
} from '../store/store.ts'

export class Backups {
  readonly #backups: Store['backups']

  constructor({ backups }: Store) {
    this.#backups = backups
  }

  async list(): Promise<BackupList> {
    return toBackupList(await this.#backups.list())
  }

  async create(): Promise<Backup> {
    return toBackup(await this.#backups.create())
  }

  /** The path of its file. Throws 404. */
  async getPath(id: string): Promise<string> {
    const path = await this.#backups.getPath(id)
    if (path === null) throw unknownBackup(id)
    return path
  }

  /** Adds a backup that the user has as a file. Throws 400 `backup_unusable`, and the error of `chunks`. */
  async import(chunks: AsyncIterable<Uint8Array>): Promise<Backup> {
    const added = await this.#backups.import(chunks)
    if (!('reason' in added)) return toBackup(added)
    throw invalidRequest(describeImport(added), { code: 'backup_unusable' })
  }

  /** Throws 404, and 400 `backup_unusable` for one that could not replace the database. */
  async scheduleRestore(id: string, choice: RestoreChoice): Promise<BackupList> {
    return listOrThrow(id, await this.#backups.scheduleRestore(id, choice))
  }

  /** Does nothing for a backup whose restore is not pending. Throws 404. */
  async cancelRestore(id: string): Promise<BackupList> {
    return listOrThrow(id, await this.#backups.cancelRestore(id))
  }
}

/** The log line of a start that restored a backup. */
export function restoredNotice({ backup: id, madeAt, movedTo, requested, imported }: Restoration): string {
  const why = requested ? 'As requested' : 'Because the database was damaged or missing'
  const old = movedTo === null ? '' : ` The old database is now ${movedTo}.`
  return `${why}, the backup ${id} of ${formatTime(madeAt)} was restored. It contains nothing that happened since, not even spend.${old}${imported ? explainImported(imported) : ''}`
}

function explainImported({ keepsKeys }: { keepsKeys: boolean }): string {
  return ` It was imported: ${keepsKeys ? '' : 'its keys are revoked, and '}providers with an address of their own are disabled until you enable them.`
}

function listOrThrow(id: string, answer: StoredBackups | BackupRefusal): BackupList {
  if (!('reason' in answer)) return toBackupList(answer)
  if (!('detail' in answer)) throw unknownBackup(id)
  const { reason, detail } = answer
  const message =
    reason === 'damaged'
      ? `The backup "${id}" is damaged (${detail}). Choose another one.`
      : `The backup "${id}" cannot be restored by this version. ${detail}`
  throw invalidRequest(message, { param: 'id', code: 'backup_unusable' })
}

function unknownBackup(id: string): GatewayError {
  return notFound(`There is no backup "${id}". GET /v1/backups lists them.`)
}

function describeImport(refusal: BackupRefusal): string {
  if (!('detail' in refusal))
    return 'This file is not a backup of Tollgate. Choose one that was exported from its settings.'
  return refusal.reason === 'damaged'
    ? `This file is damaged (${refusal.detail}). Export the backup again, or choose another one.`
    : `This file cannot be imported. ${refusal.detail}`
}

function toBackupList({ backups, restoreAtStart }: StoredBackups): BackupList {
  return { data: backups.map(toBackup), restoreAtStart }
}

function toBackup({ id, madeAt, bytes, imported, keys }: StoredBackup): Backup {
  return { id, madeAt: formatTime(madeAt), bytes, imported, keys }
}
