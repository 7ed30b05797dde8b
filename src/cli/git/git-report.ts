// What a repository's log of HEAD says of commits and branches, as `POST /v1/git` takes it.
import { join } from 'node:path'
import type { GatewayClient } from '../../host/gateway-client.ts'
import type { GitReport } from '../../shared/api/git.ts'
import {
  findRepository,
  isCommit,
  nameRepository,
  type Repository,
  readBranch,
  readText,
  readTip,
} from './repository.ts'

/** How far back commits are reported. Records of requests are kept longer, but commits are reported when they are made. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000
const MAX_EVENTS = 1000

/** Whose work it is. */
type Subject = Pick<GitReport, 'clientSessionId' | 'keyId'>

/** Records the repository of a folder. Null outside of one, or where its branch cannot be read. */
export async function reportGit(
  client: GatewayClient,
  cwd: string,
  subject: Subject = {},
): Promise<{ repository: Repository; report: GitReport } | null> {
  const repository = findRepository(cwd)
  const report = repository && createGitReport(repository, Date.now())
  if (!repository || !report) return null
  await client.call('recordGit', { body: { ...report, ...subject } })
  return { repository, report }
}

/** `now`: epoch milliseconds. Null where the branch is not in a file. */
export function createGitReport(repository: Repository, now: number): GitReport | null {
  const branch = readBranch(repository)
  if (branch === null) return null
  const log = readText(join(repository.gitDir, 'logs/HEAD')) ?? ''
  const entries = log
    .split('\n')
    .slice(-4 * MAX_EVENTS)
    .flatMap(parseEntry)
  const { commits, switches } = followHead(
    entries.filter(({ at }) => at > now - MAX_AGE_MS),
    branch,
  )
  return {
    repository: nameRepository(repository),
    branch,
    head: readTip(repository, branch),
    commits: commits.slice(-MAX_EVENTS),
    switches: switches.slice(-MAX_EVENTS),
  }
}

interface Entry {
  /** Epoch milliseconds. */
  at: number
  before: string
  after: string
  what: string
}

/** `OLD NEW Name <mail> SECONDS ZONE<tab>what` (gitrepository-layout, `logs`). */
function parseEntry(line: string): Entry[] {
  const [head = '', what = ''] = line.split('\t', 2)
  const [before = '', after = ''] = head.split(' ', 2)
  const seconds = Number(/ (\d{1,11}) [+-]\d{4}$/.exec(head)?.[1] ?? Number.NaN)
  // An agent asks on right after its commit, but made it a while after its last request.
  return isCommit(after) && !Number.isNaN(seconds) ? [{ at: seconds * 1000, before, after, what }] : []
}

/** Commits of work; not those that a rebase makes of earlier ones, or that only come from another branch. */
const COMMIT = /^(?:commit(?: \((?:initial|amend|merge)\))?|cherry-pick|revert): |^merge .*: Merge made by /
const SWITCH = /^checkout: moving from (\S+) to (\S+)$/

/** From the newest entry back: the log names branches only where they change. `branch`: the present one. */
function followHead(entries: readonly Entry[], branch: string) {
  const commits: NonNullable<GitReport['commits']>[number][] = []
  const switches: NonNullable<GitReport['switches']>[number][] = []
  const amended = new Set<string>()
  let current = branch
  for (const { at, before, after, what } of entries.toReversed()) {
    const time = new Date(at).toISOString()
    const [, from, to] = SWITCH.exec(what) ?? []
    if (from !== undefined && to !== undefined) {
      const next = nameBranch(from)
      switches.push({ at: time, from: next, to: current, carries: before === after })
      current = next
    } else if (COMMIT.test(what)) {
      if (!amended.has(after)) commits.push({ at: time, branch: current, commit: after })
      if (what.startsWith('commit (amend)')) amended.add(before)
    }
  }
  return { commits: commits.reverse(), switches: switches.reverse() }
}

function nameBranch(name: string): string {
  return isCommit(name) || name.length > 250 ? '' : name
}
