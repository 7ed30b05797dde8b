import { Backup } from '../../../shared/api/account.ts'
import { fillPath } from '../../../shared/api/operation-calls.ts'
import { routes } from '../../../shared/api/routes.ts'
import { authorizedFetch } from '../../data/api.ts'
import { queries } from '../../data/queries.ts'
import { refresh } from '../../data/query-client.ts'
import { download } from '../../kit/download.ts'

const { getBackupFile, importBackup } = routes

export async function exportBackup({ id }: Backup): Promise<void> {
  const response = await authorizedFetch(fillPath(getBackupFile.path, id), {})
  download(await response.blob(), id)
}

/** Resolves with the backup that the file has become. */
export async function addBackupFile(file: File): Promise<Backup> {
  const response = await authorizedFetch(importBackup.path, {
    method: importBackup.method,
    headers: { 'content-type': 'application/vnd.sqlite3' },
    body: file,
  })
  const backup = Backup.parse(await response.json())
  await refresh(queries.backups)
  return backup
}
