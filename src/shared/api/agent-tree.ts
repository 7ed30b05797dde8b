// The requests of a session as a tree: the main agent, its sub-agents, compactions and side calls, with the sums of each branch.
import type { RequestAgent, RequestRecord } from './requests.ts'

/** The counted members of a request. */
type Counted = Pick<
  RequestRecord,
  'agent' | 'count' | 'tokensIn' | 'tokensOut' | 'costUsd' | 'worthUsd' | 'timings'
>

export interface Branch {
  /** Unique within the session. */
  key: string
  role: RequestAgent['role']
  type: string | null
  /** Levels below the main agent, which has 0. */
  depth: number
  requests: number
  tokens: number
  costUsd: number
  worthUsd: number
  /** Milliseconds in requests to models, and in the tools between them. */
  modelMs: number
  toolMs: number
  /** The tools that took longest first, with their milliseconds. */
  tools: readonly (readonly [name: string, ms: number])[]
}

interface Sums extends Omit<Branch, 'depth' | 'tools'> {
  id: string | null
  parentId: string | null
  tools: Map<string, number>
}

/** The branch of a request; its key is that of the main agent where nothing is known. */
export function getBranchKey({ agent }: Pick<RequestRecord, 'agent'>): string {
  if (agent === null || agent.role === 'main') return 'main'
  return agent.id ?? agent.role
}

/** The branches in the order of the tree: each below the one that started it. Empty if no request says what it is for. */
export function createAgentTree(records: readonly Counted[]): Branch[] {
  if (records.every(({ agent }) => agent === null)) return []
  const branches = new Map<string, Sums>()
  for (const record of records) add(branches, record)
  const ordered: Branch[] = []
  const visit = ({ id: _id, parentId: _parent, tools, ...sums }: Sums, depth: number): void => {
    if (ordered.some(({ key }) => key === sums.key)) return
    ordered.push({ ...sums, depth, tools: [...tools].sort(([, a], [, b]) => b - a) })
    for (const child of branches.values())
      if (findParent(child, branches) === sums.key) visit(child, depth + 1)
  }
  for (const branch of branches.values()) if (findParent(branch, branches) === null) visit(branch, 0)
  // Agents that name each other as their parent.
  for (const branch of branches.values()) visit(branch, 0)
  return ordered
}

function add(branches: Map<string, Sums>, record: Counted): void {
  const { agent, tokensIn, tokensOut, costUsd, worthUsd, timings } = record
  const key = getBranchKey(record)
  let sums = branches.get(key)
  if (!sums) {
    const place = { id: agent?.id ?? null, parentId: agent?.parentId ?? null, type: agent?.type ?? null }
    const none = { requests: 0, tokens: 0, costUsd: 0, worthUsd: 0, modelMs: 0, toolMs: 0 }
    sums = { key, role: agent?.role ?? 'main', ...place, ...none, tools: new Map() }
    branches.set(key, sums)
  }
  sums.type ??= agent?.type ?? null
  sums.requests += record.count
  sums.tokens += tokensIn + tokensOut
  sums.costUsd += costUsd ?? 0
  sums.worthUsd += worthUsd ?? 0
  sums.modelMs += timings.totalMs ?? 0
  for (const [name, ms] of Object.entries(agent?.toolMs ?? {})) {
    sums.toolMs += ms
    sums.tools.set(name, (sums.tools.get(name) ?? 0) + ms)
  }
}

/** The key of the branch above; null for the main agent. */
function findParent({ key, parentId }: Sums, branches: ReadonlyMap<string, Sums>): string | null {
  if (key === 'main') return null
  if (parentId !== null && parentId !== key && branches.has(parentId)) return parentId
  return branches.has('main') ? 'main' : null
}

const NAMES: Readonly<Record<RequestAgent['role'], string>> = {
  main: 'Main agent',
  subagent: 'Sub-agent',
  workflow: 'Workflow',
  compaction: 'Compaction',
  auxiliary: 'Side calls',
}

/** The label of a branch, such as `Explore`, `Sub-agent` or `Side calls`. */
export function nameBranch({ role, type }: Pick<Branch, 'role' | 'type'>): string {
  return type !== null && (role === 'subagent' || role === 'workflow') ? type : NAMES[role]
}
