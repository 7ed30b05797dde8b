import { createAdminKey } from '../gateway/keys/admin-key.ts'
import { lockDataDir } from '../gateway/store/lock.ts'
import { chooseDataDir, prepareDataDir } from './data-dir.ts'
import { EXIT } from './exit-codes.ts'
import type { Flags } from './flags.ts'
import { createHostLog } from './log.ts'
import { reportFailure } from './serve.ts'

/**
 * Creates an admin key and prints it, for a user who lost them all. Needs no authentication besides write access to the
 * data folder. Returns the exit code.
 */
export async function adminKey(flags: Flags): Promise<number> {
  const dataDir = chooseDataDir(flags.dataDir)
  const log = createHostLog()
  log.setLevel(flags.logLevel ?? 'info')
  try {
    prepareDataDir(dataDir)
    const lock = lockDataDir(dataDir, { pid: process.pid, program: 'admin-key' })
    try {
      log.openFile(dataDir)
      const { id, secret } = await createAdminKey(dataDir, log)
      log.info(`Created the admin key ${id} from the command line`)
      lock.noteLedger()
      process.stdout.write(`${JSON.stringify({ dataDir, id, adminKey: secret })}\n`)
    } finally {
      lock.release()
    }
    return EXIT.done
  } catch (error) {
    return reportFailure(error)
  } finally {
    await log.close()
  }
}
