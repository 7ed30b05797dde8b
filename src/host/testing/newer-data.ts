import { startTestGateway } from '../../gateway/testing/gateway.ts'
import { migrateFurther } from '../../gateway/testing/newer-data.ts'

export interface NewerData {
  /** Why this version cannot open it. */
  error: unknown
  /** The id of the backup; empty for none. */
  backup: string
  /** The admin key's spend when the backup was made. */
  spentUsd: number
  /** Opens the data, and returns what the admin key has spent. Throws if this version cannot open it. */
  reopen(): Promise<number>
}

/** Writes to the folder the data of a newer version: with a request, then perhaps a backup, and then another request. */
export async function createNewerData(dataDir: string, hasBackup: boolean): Promise<NewerData> {
  const tollgate = await startTestGateway({ dataDir })
  const { admin } = tollgate
  const spentUsd: number = (await tollgate.chat({})).json.usage.cost
  const backup: string = hasBackup ? (await tollgate.call('POST', '/v1/backups')).json.id : ''
  await tollgate.chat({})
  await tollgate.gateway.close()
  migrateFurther(dataDir)
  const reopen = async () => {
    const again = await startTestGateway({ dataDir, admin })
    const spent: number = (await again.call('GET', '/v1/key')).json.spendUsd
    await again.gateway.close()
    return spent
  }
  const error = await reopen().catch((thrown: unknown) => thrown)
  return { error, backup, spentUsd, reopen }
}
