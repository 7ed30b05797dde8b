import type { Session } from '../../shared/api/sessions.ts'
import { formatClock, formatTime, getDay } from '../kit/format.ts'

interface Clock {
  now: number
  zone: string | undefined
}

/** Its title, the name that the tool gave it, or "Claude Code in tollgate, 14:02". */
export function nameSession(session: Session, { now, zone }: Clock): string {
  const { title, source, clientSessionId, clientName, tag, startedAt } = session
  if (title !== null) return title
  if (source === 'header' && clientSessionId !== null) return clientSessionId
  const isToday = getDay(Date.parse(startedAt), zone) === getDay(now, zone)
  const time = isToday ? formatTime(startedAt, zone) : formatClock(startedAt, now, zone)
  const tool = clientName === null ? 'Session' : getToolName(clientName)
  return `${tool}${tag === null ? '' : ` in ${tag}`}, ${time}`
}

/** One of which only the id and the title are known. Without a title, the beginning of the id tells it apart. */
export function nameUnread(id: string, title: string): string {
  return title === id ? `Session ${id.slice(4, 12)}` : title
}

/** Whether one of its requests is in flight. */
export function isActive({ running }: Session): boolean {
  return running > 0
}

export function computeLength({ startedAt, lastAt }: Session): number {
  return Math.max(0, Date.parse(lastAt) - Date.parse(startedAt))
}

/** "<1 s", "45 s", "12 min", "3 h 20 min": a session is longer than a request, and less exact. */
export function formatLength(ms: number): string {
  if (ms < 1000) return '<1 s'
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Share of input tokens read from a cache; null without tokens. */
export function cacheRate({ tokensIn, tokensCached }: Session): number | null {
  return tokensIn === 0 ? null : tokensCached / tokensIn
}

export function formatRatio(ratio: number | null): string {
  return ratio === null ? '–' : `${Math.round(ratio * 100)}%`
}

/** The time since the beginning of a session: 0:07, 12:40, 1:02:09. */
export function formatOffset(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const pad = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`
}

/** The names of programs whose own name few would recognize. */
const names: ReadonlyMap<string, string> = new Map([
  ['', 'Unknown'],
  ['Anthropic/JS', 'Anthropic for JavaScript'],
  ['Anthropic/Python', 'Anthropic for Python'],
  ['ai-sdk', 'Vercel AI SDK'],
  ['ai-sdk/openai-compatible', 'Vercel AI SDK, OpenAI-compatible'],
  ['AsyncOpenAI/Python', 'OpenAI for Python, async'],
  ['claude-cli', 'Claude Code'],
  ['codex_cli_rs', 'Codex'],
  ['Kilo-Code', 'Kilo Code'],
  ['langchainjs-openai', 'LangChain for JavaScript'],
  ['node', 'Node'],
  ['OpenAI/JS', 'OpenAI for JavaScript'],
  ['OpenAI/Python', 'OpenAI for Python'],
  ['QwenCode', 'Qwen Code'],
  ['tollgate', 'Tollgate’s playground'],
  ['undici', 'Node'],
])

/** `client`: the name that the program sent, without its version; blank when it sent none. */
export function getToolName(client: string): string {
  return names.get(client) ?? client
}

/** Whether a program is a tool of Connect, by the name that either has. */
export function isTool(client: string | null, { id, name }: { id: string; name: string }): boolean {
  if (client === null) return false
  const [first = ''] = client.toLowerCase().split(/[^a-z0-9]/)
  const own = simplify(getToolName(client))
  return own === simplify(name) || own === simplify(id) || first === id
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
