// The place of a request within an agent's run: which sub-agent sent it, what for, and how long the tools before it took.
import type { RequestAgent } from '../../shared/api/requests.ts'
import { AGENT_ROLES } from '../../shared/api/terms.ts'
import { hasHidden } from '../../shared/values/text.ts'

type Headers = NodeJS.Dict<string | string[]>

const MAX_LENGTH = 100
const MAX_TOOLS = 50
const MAX_TOOLS_LENGTH = 4_000

/** The kinds of Codex's own calls, by its header `x-openai-subagent`; all others are sub-agents. */
const CODEX_ROLES: Readonly<Record<string, RequestAgent['role']>> = {
  compact: 'compaction',
  memory_consolidation: 'auxiliary',
}

/**
 * Null for a request that says nothing of an agent. Sources: Claude Code's gateway protocol (code.claude.com/docs), and the
 * headers that Codex (`codex-rs/core/src/client.rs`) and opencode (`packages/opencode/src/session/llm.ts`) send.
 */
export function readAgent(headers: Headers): RequestAgent | null {
  return readClaudeCode(headers) ?? readCodex(headers) ?? readChild(headers)
}

function readClaudeCode(headers: Headers): RequestAgent | null {
  const readClaudeCode = (name: string) => readName(headers[`x-claude-code-${name}`])
  const id = readClaudeCode('agent-id')
  const stated = readClaudeCode('request-class')
  const toolMs = readTools(headers['x-claude-code-prev-tool-durations'])
  if (id === null && stated === null && toolMs === null) return null
  const role = AGENT_ROLES.find((name) => name === stated) ?? (id === null ? 'main' : 'subagent')
  return {
    id,
    parentId: readClaudeCode('parent-agent-id'),
    type: readClaudeCode('agent-type'),
    role,
    toolMs: toolMs ?? {},
  }
}

function readCodex(headers: Headers): RequestAgent | null {
  const type = readName(headers['x-openai-subagent'])
  if (type === null) return null
  const role = CODEX_ROLES[type] ?? 'subagent'
  const id = role === 'subagent' ? readName(headers['thread-id'] ?? headers['session-id']) : null
  return { id, parentId: readName(headers['x-codex-parent-thread-id']), type, role, toolMs: {} }
}

/** opencode and tools made of it: a sub-agent has a session of its own, and names the one that started it. */
function readChild(headers: Headers): RequestAgent | null {
  const parent = readName(headers['x-parent-session-id'])
  const own = headers['x-opencode-session'] ?? headers['x-session-id'] ?? headers['x-session-affinity']
  const id = readName(own)
  if (parent === null || id === null || id === parent) return null
  return { id, parentId: null, type: null, role: 'subagent', toolMs: {} }
}

function readName(value: string | string[] | undefined): string | null {
  if (typeof value !== 'string' || value === '' || value.length > MAX_LENGTH) return null
  return hasHidden(value) ? null : value
}

/** `Bash=742;Read=9`: milliseconds by tool. Null for anything else. */
function readTools(value: string | string[] | undefined): Record<string, number> | null {
  if (typeof value !== 'string' || value.length > MAX_TOOLS_LENGTH) return null
  const tools: Record<string, number> = {}
  for (const part of value.split(';').slice(0, MAX_TOOLS)) {
    const [, name, ms] = /^\s*([^=]+)=(\d{1,9})\s*$/.exec(part) ?? []
    const tool = readName(name)
    if (tool === null || ms === undefined || tool === '__proto__') return null
    tools[tool] = (tools[tool] ?? 0) + Number(ms)
  }
  return tools
}
