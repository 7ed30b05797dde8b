// Where a gateway serves requests of the owner of this machine, and how other programs of the same user find it. A Unix
// socket has the mode 0600 in a folder with 0700. A Windows pipe is protected by its random name, which is only in the data
// folder, and by the rights that Windows gives a pipe: other users may not write to it.
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync, type Stats } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readHolder } from '../gateway/store/lock-info.ts'

const PRIVATE = 0o700
/** The bytes of `sun_path` without its end, in Linux's and macOS's `sys/un.h`. */
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/** The socket cannot be used. The message is for the user. */
export class LocalSocketError extends Error {
  override name = 'LocalSocketError'
}

interface Surroundings {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  temp: string
}

const here = (): Surroundings => ({ platform: process.platform, env: process.env, temp: tmpdir() })

/**
 * The path for the socket of a data dir that this process has locked: free, and in a folder of this user. It is in the data
 * dir, unless that has a longer path than a socket can have. Throws LocalSocketError.
 */
export function prepareSocket(dataDir: string, surroundings: Surroundings = here()): string {
  const path = chooseSocketPath(dataDir, surroundings)
  if (surroundings.platform === 'win32') return path
  if (dirname(path) !== dataDir) preparePrivateDir(dirname(path))
  const found = statsOf(path)
  // The lock on the data dir says that no other gateway uses it: a crash has left it.
  if (found?.isSocket()) rmSync(path)
  else if (found) throw new LocalSocketError(`${path} is not a socket. Move it elsewhere.`)
  return path
}

export function chooseSocketPath(dataDir: string, { platform, env, temp }: Surroundings): string {
  if (platform === 'win32') return `\\\\.\\pipe\\tollgate-${randomBytes(16).toString('hex')}`
  const own = ownSocketPath(dataDir)
  if (own !== null) return own
  const runtime = env.XDG_RUNTIME_DIR?.startsWith('/') ? env.XDG_RUNTIME_DIR : null
  const folder = runtime ? join(runtime, 'tollgate') : join(temp, `tollgate-${process.getuid?.() ?? 0}`)
  return join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`)
}

/** The socket in the data dir; null if its path is too long. */
function ownSocketPath(dataDir: string): string | null {
  const path = join(dataDir, 'tollgate.sock')
  return Buffer.byteLength(path) <= MAX_PATH_BYTES ? path : null
}

/**
 * The socket of the gateway on a data dir; null if none is there. Throws LocalSocketError for a socket that another user
 * could have made, who would get the requests.
 */
export function findSocket(dataDir: string): string | null {
  const isUnix = process.platform !== 'win32'
  const noted = isUnix && ownSocketPath(dataDir)
  const path = noted || readHolder(dataDir)?.socket
  if (typeof path !== 'string') return null
  if (!isUnix) return path
  const [folder, socket] = [statsOf(dirname(path)), statsOf(path)]
  if (!folder || !socket) return null
  const user = process.getuid?.()
  if (folder.uid !== user || socket.uid !== user || !socket.isSocket() || (folder.mode & 0o077) !== 0) {
    throw new LocalSocketError(
      `The socket ${path} may belong to another user. Run the command as the user who started Tollgate.`,
    )
  }
  return path
}

function preparePrivateDir(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new LocalSocketError(`${path} is not a folder of yours. Remove it, or set XDG_RUNTIME_DIR.`)
  }
  chmodSync(path, PRIVATE)
}

function statsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}
