// Where a gateway serves requests of the owner of this machine. A Unix
// socket has the mode 0600 in a folder with 0700. A Windows pipe is protected by its random name, which is only in the data
// folder, and by the rights that Windows gives a pipe: other users may not write to it.
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { LocalSocketError, ownSocketPath, tryStat } from './find-socket.ts'

const PRIVATE = 0o700

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
  const stats = tryStat(path)
  // The lock on the data dir says that no other gateway uses it: a crash has left it.
  if (stats?.isSocket()) rmSync(path)
  else if (stats) throw new LocalSocketError(`${path} is not a socket. Move it elsewhere.`)
  return path
}

export function chooseSocketPath(dataDir: string, { platform, env, temp }: Surroundings): string {
  if (platform === 'win32') return `\\\\.\\pipe\\tollgate-${randomBytes(16).toString('hex')}`
  const pathInDataDir = ownSocketPath(dataDir)
  if (pathInDataDir !== null) return pathInDataDir
  const runtime = env.XDG_RUNTIME_DIR?.startsWith('/') ? env.XDG_RUNTIME_DIR : null
  const folder = runtime ? join(runtime, 'tollgate') : join(temp, `tollgate-${process.getuid?.() ?? 0}`)
  return join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`)
}

function preparePrivateDir(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE })
  const stats = lstatSync(path)
  if (!stats.isDirectory() || stats.uid !== process.getuid?.()) {
    throw new LocalSocketError(`${path} is not a folder of yours. Remove it, or set XDG_RUNTIME_DIR.`)
  }
  chmodSync(path, PRIVATE)
}
