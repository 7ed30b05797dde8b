// The name of the project that a folder belongs to, from Git's configuration in it.
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { printable } from '../../shared/values/text.ts'

const MAX_TAG = 100
const MAX_LINE = 2_000

/** The name of the remote repository, else of the folder that Git tracks; null outside of both. */
export function projectName(cwd: string): string | null {
  const root = findRoot(cwd)
  if (root === null) return null
  const name = remoteName(gitDir(root)) ?? basename(root)
  const clean = [...printable(name)].slice(0, MAX_TAG).join('')
  return clean === '' ? null : clean
}

function findRoot(cwd: string): string | null {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    if (statSync(join(dir, '.git'), { throwIfNoEntry: false })) return dir
    if (dirname(dir) === dir) return null
  }
}

/** Where the configuration is: a worktree and a submodule have a file that names another folder. */
function gitDir(root: string): string {
  const path = join(root, '.git')
  const named = /^gitdir: (.+)$/m.exec(read(path) ?? '')?.[1]
  if (named === undefined) return path
  const own = resolve(root, named)
  const common = read(join(own, 'commondir'))
  return common === null ? own : resolve(own, common.trim())
}

/** The name of `origin`, else of the first remote. */
function remoteName(dir: string): string | null {
  const urls = remoteUrls(read(join(dir, 'config')) ?? '')
  const [first] = urls.values()
  const url = urls.get('origin') ?? first
  return url === undefined ? null : (/([^/:\\]+?)(?:\.git)?\/?\s*$/.exec(url)?.[1] ?? null)
}

/** Line by line: the repository may come from anyone, and a pattern over all of it can take for ever. */
function remoteUrls(config: string): Map<string, string> {
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

/** Null where there is no file to read. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
