// Where the local socket of a gateway is. Loads little: a prompt waits for it.
import { lstatSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { readHolder } from '../gateway/compose/host-api.ts'

/** The bytes of `sun_path` without its end, in Linux's and macOS's `sys/un.h`. */
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/** The socket cannot be used. The message is for the user. */
export class LocalSocketError extends Error {
  override name = 'LocalSocketError'
}

/** The socket in the data dir; null if its path is too long. */
export function ownSocketPath(dataDir: string): string | null {
  const path = join(dataDir, 'tollgate.sock')
  return Buffer.byteLength(path) <= MAX_PATH_BYTES ? path : null
}

/**
 * The socket of the gateway on a data dir; null if none is there. Throws LocalSocketError for a socket that another user
 * could have made, who would get the requests.
 */
export function findSocket(dataDir: string, platform: NodeJS.Platform = process.platform): string | null {
  const isUnix = platform !== 'win32'
  const holder = readHolder(dataDir)
  const path = (isUnix ? ownSocketPath(dataDir) : null) ?? holder?.socket
  if (typeof path !== 'string') return null
  if (!isUnix) return isOwnProcess(holder?.pid) ? path : null
  const [folder, socket] = [tryStat(dirname(path)), tryStat(path)]
  if (!folder || !socket) return null
  const user = process.getuid?.()
  if (folder.uid !== user || socket.uid !== user || !socket.isSocket() || (folder.mode & 0o077) !== 0) {
    throw new LocalSocketError(
      `The socket ${path} may belong to another user. Run the command as the user who started Tollgate.`,
    )
  }
  return path
}

/**
 * Whether the process runs, as this user: every user sees the names of pipes, and could serve that of a gateway that has
 * crashed.
 */
function isOwnProcess(pid: unknown): boolean {
  try {
    return typeof pid === 'number' && process.kill(pid, 0)
  } catch {
    return false
  }
}

export function tryStat(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}
