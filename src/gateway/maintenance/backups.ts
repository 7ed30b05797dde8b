// Owns how backups are shown and what a caller is told who asks for one that cannot be had. Knows nothing of files.
import type { Backup, BackupList } from '../../shared/account.ts'
import { type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import type { Restored, RestoreRefusal, Store, StoredBackup, StoredBackups } from '../store/store.ts'

export class Backups {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async list(): Promise<BackupList> {
    return listed(await this.#store.backups())
  }

  async make(): Promise<Backup> {
    return backup(await this.#store.backup())
  }

  /** Throws 404, and 400 `backup_unusable` for one that could not take the database's place. */
  async restoreAtStart(id: string): Promise<BackupList> {
    return listedOrRefused(id, await this.#store.scheduleRestore(id))
  }

  /** Harmless for a backup that was not to be restored. Throws 404. */
  async keepDatabase(id: string): Promise<BackupList> {
    return listedOrRefused(id, await this.#store.cancelRestore(id))
  }
}

/** What the log says of a start that restored a backup. */
export function restoredNotice({ backup: id, madeAt, movedTo, asked }: Restored): string {
  const why = asked ? 'As was asked for' : 'Because the database was damaged or gone'
  const kept = movedTo === null ? '' : ` What was there before is kept as ${movedTo}.`
  return `${why}, the backup ${id} of ${iso(madeAt)} has taken its place. What happened since is not in it, spend included.${kept}`
}

function listedOrRefused(id: string, answer: StoredBackups | RestoreRefusal): BackupList {
  if ('reason' in answer) throw refusal(id, answer)
  return listed(answer)
}

function refusal(id: string, refused: RestoreRefusal): GatewayError {
  switch (refused.reason) {
    case 'unknown':
      return notFound(`There is no backup "${id}". GET /v1/backups lists them.`)
    case 'damaged':
      return unusable(`The backup "${id}" is damaged (${refused.detail}). Choose another one.`)
    case 'newer':
      return unusable(`The backup "${id}" cannot be restored by this version. ${refused.detail}`)
  }
}

function unusable(message: string): GatewayError {
  return invalidRequest(message, { param: 'id', code: 'backup_unusable' })
}

function listed({ backups, restoreAtStart }: StoredBackups): BackupList {
  return { data: backups.map(backup), restoreAtStart }
}

function backup({ id, madeAt, bytes }: StoredBackup): Backup {
  return { id, madeAt: iso(madeAt), bytes }
}

function iso(moment: number): string {
  return new Date(moment).toISOString()
}
