// A Git repository, read from its files: no program of the repository's configuration runs, as some do when Git starts.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { hasHidden } from '../../shared/values/text.ts'

const MAX_LINE = 2_000
const MAX_BYTES = 1024 * 1024
/** About 500,000 branches and tags. */
const MAX_REFS_BYTES = 32 * MAX_BYTES

export interface Repository {
  root: string
  /** The folder with HEAD: a worktree and a submodule have one of their own. */
  gitDir: string
  /** The folder with the configuration and the branches. */
  commonDir: string
}

/** The repository that a folder is in; null for none. */
export function findRepository(cwd: string): Repository | null {
  const root = findRoot(cwd)
  if (root === null) return null
  const path = join(root, '.git')
  const named = /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1]
  const gitDir = named === undefined ? path : resolve(root, named)
  const common = readText(join(gitDir, 'commondir'))
  return { root, gitDir, commonDir: common === null ? gitDir : resolve(gitDir, common.trim()) }
}

function tryStat(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

function findRoot(cwd: string): string | null {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const stats = tryStat(join(dir, '.git'))
    if (stats?.isDirectory() || stats?.isFile()) return dir
    if (dirname(dir) === dir) return null
  }
}

/** The address of `origin`, else of the first remote. */
export function readRemote({ commonDir }: Repository): string | null {
  const urls = readRemotes(readText(join(commonDir, 'config')) ?? '')
  const [first] = urls.values()
  return urls.get('origin') ?? first ?? null
}

/** Line by line: the repository may come from anyone, and a pattern over all of it can take for ever. */
function readRemotes(config: string): Map<string, string> {
  const urls = new Map<string, string>()
  let remote: string | undefined
  for (const line of config.split('\n')) {
    if (line.length > MAX_LINE) continue
    if (line.startsWith('[')) remote = /^\[remote "([^"]+)"\]/.exec(line)?.[1]
    const url = /^\s+url = (.+)$/.exec(line)?.[1]
    if (remote !== undefined && url !== undefined && !urls.has(remote)) urls.set(remote, url)
  }
  return urls
}

/** `github.com/owner/name`, without a scheme and credentials; the name of the folder where there is no such remote. */
export function nameRepository(repository: Repository): string {
  const remote = (readRemote(repository) ?? '').trim().replace(/(?:\.git)?\/*$/, '')
  const [, host, path] =
    /^[a-z][a-z\d+.-]*:\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(remote) ??
    /^(?:[^/@]*@)?([^/:\\]{2,}):\/*([^\\]+)$/.exec(remote) ??
    []
  const name = host === undefined ? '' : `${host.toLowerCase()}/${path}`
  return isRepositoryName(name) ? name : basename(repository.root).replace(/[^\p{L}\p{N}._-]+/gu, '-')
}

function isRepositoryName(name: string): boolean {
  return name !== '' && name.length <= 300 && !/[\s@?#]/.test(name) && !hasHidden(name)
}

/** The branch; '' for a detached HEAD, and null where it is not in a file. */
export function readBranch({ gitDir }: Repository): string | null {
  const head = readText(join(gitDir, 'HEAD'))?.trim() ?? ''
  if (isCommit(head)) return ''
  const branch = /^ref: refs\/heads\/(\S{1,250})$/.exec(head)?.[1] ?? null
  // So say repositories whose branches are in tables.
  return branch === '.invalid' ? null : branch
}

/** The commit that a branch is at; null before the first. */
export function readTip({ gitDir, commonDir }: Repository, branch: string): string | null {
  const headPath = branch === '' ? join(gitDir, 'HEAD') : join(commonDir, 'refs/heads', branch)
  const hash = readText(headPath)?.trim() ?? ''
  if (isCommit(hash)) return hash
  const packed = (readText(join(commonDir, 'packed-refs'), MAX_REFS_BYTES) ?? '').split('\n')
  const line = packed.find((each) => each.endsWith(` refs/heads/${branch}`))
  const first = line?.split(' ', 1)[0] ?? ''
  return isCommit(first) ? first : null
}

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text)
}

/** The end of the text, where it has more bytes than `max`; null where there is no file to read. */
export function readText(path: string, max = MAX_BYTES): string | null {
  try {
    // Anything may be in place of a file: a FIFO would wait for a writer, and a device never end.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(file)
      return stats.isFile() ? readEnd(file, stats.size, max) : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

function readEnd(file: number, size: number, max: number): string {
  const bytes = Buffer.alloc(Math.min(size, max))
  const count = readSync(file, bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString('utf8', 0, count)
}
