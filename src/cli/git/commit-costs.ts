// The costs of commits, and of work that is not committed yet.
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import type { GatewayClient } from '../../host/gateway-client.ts'
import type { GitReport } from '../../shared/api/git.ts'
import type { Usage } from '../../shared/api/usage.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { errorMessage } from '../../shared/values/text.ts'
import type { Repository } from './repository.ts'

type Sums = Pick<Usage['total'], 'requests' | 'tokensIn' | 'tokensOut' | 'costUsd' | 'worthUsd' | 'unpriced'>
export type CommitCost = Sums & { commit: string; subject: string }

export interface CommitCosts {
  repository: string
  branch: string
  range: string | null
  /** The newest first. */
  commits: CommitCost[]
  /** The work on the branch since its last commit; null where the range does not end at HEAD. */
  uncommitted: Sums | null
  total: Sums
}

interface Commit {
  hash: string
  subject: string
  /** A commit and one that replaced it, by an amendment or a rebase, have the same. */
  origin: string
}

/** `range`: as `git log` takes it; null for what is on this branch only. Throws when Git does not know it. */
export async function readCommitCosts(
  client: GatewayClient,
  { repository, report }: { repository: Repository; report: GitReport },
  range: string | null,
): Promise<CommitCosts> {
  const { root } = repository
  const commits = listCommits(root, range === null ? describeOwn(root) : [range])
  const { repository: name } = report
  const [all, own] = await Promise.all([
    client.call('getUsage', { query: { groupBy: 'commit' } }),
    client.call('getUsage', { query: { groupBy: 'commit', repository: name } }),
  ])
  const usage = new Map(all.data.map((row) => [row.group, row]))
  const ownHashes = new Set(['', ...commits.map(({ hash }) => hash)])
  const others = own.data.map(({ group }) => group).filter((hash) => !ownHashes.has(hash))
  const replaced = Map.groupBy(listExisting(root, others), ({ origin }) => origin)
  const costs = commits.map(({ hash, subject, origin }) => {
    const hashes = [hash, ...(replaced.get(origin) ?? []).map((each) => each.hash)]
    return { commit: hash, subject, ...add(hashes.flatMap((each) => usage.get(each) ?? [])) }
  })
  const uncommitted = range === null ? await readUncommitted(client, report) : null
  return {
    repository: name,
    branch: report.branch,
    range,
    commits: costs,
    uncommitted,
    total: add(uncommitted ? [...costs, uncommitted] : costs),
  }
}

/** What the branch has cost since its last commit. */
export async function readUncommitted(
  client: GatewayClient,
  { repository, branch }: GitReport,
): Promise<Sums> {
  const { data } = await client.call('getUsage', {
    query: { groupBy: 'commit', branch: `${repository} ${branch}` },
  })
  return add(data.filter(({ group }) => group === ''))
}

/** A line for the end of a commit's message. */
export function formatTrailer({ costUsd, worthUsd }: Sums): string {
  const worth = worthUsd > 0 ? ` (worth ${formatUsd(worthUsd)})` : ''
  return `AI-Cost: ${formatUsd(costUsd)}${worth}`
}

function add(rows: readonly Sums[]): Sums {
  const sum = { requests: 0, tokensIn: 0, tokensOut: 0, costUsd: 0, worthUsd: 0, unpriced: 0 }
  for (const row of rows) {
    sum.requests += row.requests
    sum.tokensIn += row.tokensIn
    sum.tokensOut += row.tokensOut
    sum.costUsd += row.costUsd
    sum.worthUsd += row.worthUsd
    sum.unpriced += row.unpriced
  }
  return sum
}

const MAX_OWN = 50

/** The arguments for the commits that only this branch has, or its last ones where it is the main branch. */
function describeOwn(root: string): string[] {
  const head = git(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (head === null) return []
  for (const base of ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master']) {
    const tip = git(root, ['rev-parse', '--verify', '--quiet', `${base}^{commit}`])
    if (tip !== null && tip !== head) return [`${base}..HEAD`]
  }
  return [`--max-count=${MAX_OWN}`, 'HEAD']
}

const FORMAT = '--format=%H%x00%at %ae%x00%s'
const LOG = ['log', '--no-show-signature', '--no-notes', FORMAT]

function listCommits(root: string, range: readonly string[]): Commit[] {
  if (range.length === 0) return []
  const [last = ''] = range.slice(-1)
  try {
    return parseCommits(run(root, [...LOG, ...range.slice(0, -1), '--end-of-options', last, '--']))
  } catch (error) {
    throw new Error(`Git does not know the range "${last}".`, { cause: error })
  }
}

/** Those of the commits that the repository still has. */
function listExisting(root: string, hashes: readonly string[]): Commit[] {
  if (hashes.length === 0) return []
  return parseCommits(run(root, [...LOG, '--no-walk=unsorted', '--ignore-missing', '--stdin'], hashes))
}

function parseCommits(text: string): Commit[] {
  return text.split('\n').flatMap((line) => {
    const [hash = '', origin = '', subject = ''] = line.split('\0')
    return hash === '' ? [] : [{ hash, origin, subject }]
  })
}

function git(root: string, args: readonly string[]): string | null {
  try {
    return run(root, args).trim()
  } catch {
    return null
  }
}

const MAX_OUTPUT = 64 * 1024 * 1024

/**
 * The folder may be a stranger's: nothing that its configuration names may run. Git fetches commits that a partial clone
 * lacks by running the program of its remote.
 */
const WITHOUT_FETCHING = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }
const WITHOUT_PROGRAMS = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

function run(root: string, args: readonly string[], lines: readonly string[] = []): string {
  try {
    return execFileSync('git', [...WITHOUT_PROGRAMS, '-C', root, ...args], {
      // Windows looks for programs in the working folder first.
      cwd: dirname(process.execPath),
      env: { ...process.env, ...WITHOUT_FETCHING },
      encoding: 'utf8',
      input: lines.map((line) => `${line}\n`).join(''),
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: MAX_OUTPUT,
    })
  } catch (error) {
    throw new Error(errorMessage(error), { cause: error })
  }
}
