// Owns the way back in when no admin key is left: whoever may read the data folder may make a new one.
import { createAdminKey } from '../gateway/keys/admin-key.ts'
import { lockDataDir } from '../gateway/store/lock.ts'
import { chooseDataDir, prepareDataDir } from './data-dir.ts'
import type { Flags } from './flags.ts'
import { stderrLog } from './log.ts'
import { EXIT, failure } from './serve.ts'

/** Prints the new key, once; gives the exit code. */
export async function adminKey({ dataDir: asked }: Flags): Promise<number> {
  const dataDir = chooseDataDir(asked)
  try {
    prepareDataDir(dataDir)
    const lock = lockDataDir(dataDir, { pid: process.pid, program: 'admin-key' })
    try {
      const { id, secret } = await createAdminKey(dataDir, stderrLog())
      lock.noteLedger()
      process.stdout.write(`${JSON.stringify({ dataDir, id, adminKey: secret })}\n`)
    } finally {
      lock.release()
    }
    return EXIT.done
  } catch (error) {
    return failure(error)
  }
}
