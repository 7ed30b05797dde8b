import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** SQLite's `user_version`, which is the number of migrations. */
const USER_VERSION_OFFSET = 60

/** Makes the database one of a version with one migration more. No process may use it. */
export function migrateFurther(dataDir: string): void {
  const file = openSync(join(dataDir, 'tollgate.db'), 'r+')
  const version = Buffer.alloc(4)
  readSync(file, version, 0, 4, USER_VERSION_OFFSET)
  version.writeUInt32BE(version.readUInt32BE() + 1)
  writeSync(file, version, 0, 4, USER_VERSION_OFFSET)
  closeSync(file)
}
