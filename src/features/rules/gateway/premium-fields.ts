// Members that make a request dearer than the usual price of its model, in each API format, and how a request is sent without
// them. Sources: the API references and price pages of Anthropic ("Fast mode", "Long context pricing", "Prompt caching"), OpenAI
// ("Priority processing", "Built-in tools") and Google ("Priority inference", "Grounding"), as of 2026-11.
import { listTools } from '../../../gateway/formats/chat/given-tools.ts'
import { readExtras } from '../../../gateway/formats/chat/requested-extras.ts'
import { otherTier } from '../../../gateway/formats/chat/usage.ts'
import type { JsonPath } from '../../../gateway/formats/json/edit-json.ts'
import { isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import type { Premium } from '../api/terms.ts'
import { type Edit, formatPath, parsePath, readAt } from './body-edits.ts'

export interface SentRequest {
  format: ApiFormat
  json: JsonObject
  /** Headers that the vendor defines, by their lower-case names. */
  headers: Readonly<Record<string, string>>
}

/** A place where a request asks for a premium. */
export interface PremiumUse {
  premium: Premium
  /** The member of the body, or the name of the header. */
  field: string
  value: string
  /** The places to remove from the body. */
  edits: readonly Edit[]
}

interface PremiumRow {
  premium: Premium
  formats: readonly ApiFormat[]
  find(sent: SentRequest): PremiumUse[]
  /** The betas of Anthropic that go with it, and are removed with it. */
  beta?: RegExp
}

const BETA = 'anthropic-beta'
const ALL: readonly ApiFormat[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate']

/** A member whose value asks for it. */
function member(premium: Premium, formats: readonly ApiFormat[], name: string, dear: string): PremiumRow {
  return {
    premium,
    formats,
    find({ json }) {
      const value = json[name]
      if (typeof value !== 'string' || otherTier(value, name).otherTier !== dear) return []
      return [{ premium, field: name, value, edits: [{ path: [name] }] }]
    },
  }
}

export const PREMIUM_FIELDS: readonly PremiumRow[] = [
  member('tier', ALL, 'service_tier', 'priority'),
  member('tier', ['gemini-generate'], 'serviceTier', 'priority'),
  { ...member('speed', ['anthropic-messages'], 'speed', 'fast'), beta: /^fast-mode-/ },
  {
    premium: 'window',
    formats: ['anthropic-messages'],
    find: ({ headers, json }) => [
      ...listBetas(headers)
        .filter((name) => WINDOW_BETA.test(name))
        .map((value): PremiumUse => ({ premium: 'window', field: BETA, value, edits: [] })),
      ...findInList(json, 'anthropic_beta', WINDOW_BETA),
    ],
    beta: /^context-\d{1,4}[km]-/i,
  },
  {
    premium: 'cache',
    formats: ['anthropic-messages', 'openai-chat'],
    find: ({ json }) =>
      findMarks(json).map((path) => ({
        premium: 'cache',
        field: formatPath(path),
        value: '1h',
        edits: [{ path }],
      })),
    beta: /^extended-cache-ttl-/,
  },
  { premium: 'tools', formats: ALL, find: ({ json }) => findPricedTools(json) },
]

const WINDOW_BETA = /^context-\d{1,4}[km]-/i

function listBetas(headers: SentRequest['headers']): string[] {
  return (headers[BETA] ?? '').split(',').map((name) => name.trim())
}

function findInList(json: JsonObject, name: string, pattern: RegExp): PremiumUse[] {
  const list = json[name]
  if (!Array.isArray(list)) return []
  return list.flatMap((value: unknown, at): PremiumUse[] =>
    typeof value === 'string' && pattern.test(value)
      ? [{ premium: 'window', field: name, value, edits: [{ path: [name, at] }] }]
      : [],
  )
}

/** Where a request has prompts to be cached; nothing deeper has marks. */
const MARKED = ['cache_control', 'system', 'tools', 'messages']
const MAX_DEPTH = 6

/** The lifetimes of an hour of all marks. */
function findMarks(json: JsonObject): JsonPath[] {
  const found: JsonPath[] = []
  const visit = (value: unknown, path: JsonPath) => {
    if (path.length > MAX_DEPTH + 1) return
    if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) visit(each, [...path, at])
      return
    }
    if (!isObject(value)) return
    const { cache_control: mark, content } = value
    if (isObject(mark) && mark.ttl === '1h') found.push([...path, 'cache_control', 'ttl'])
    if (isObject(content) || Array.isArray(content)) visit(content, [...path, 'content'])
  }
  visit({ cache_control: json.cache_control }, [])
  for (const name of MARKED.slice(1)) visit(json[name], [name])
  return found
}

/** The members by which tools are given. The others that `readExtras` knows are no tools. */
const TOOL_PARAM =
  /^(tools|input|messages|plugins|web_search_options|enable_search|search_parameters|data_sources)\b/

function findPricedTools(json: JsonObject): PremiumUse[] {
  const { tools } = readExtras(json, { id: String(json.model ?? ''), searches: 'never' })
  return tools
    .filter(({ param, billing }) => TOOL_PARAM.test(param) && billing !== 'audioOutput')
    .map(({ param, name }) => {
      const path = parsePath(param)
      const tool = readAt(json, path)
      // Google's tools can be several in one object.
      const isOneOfSeveral = isObject(tool) && tool.type === undefined && Object.keys(tool).length > 1
      return {
        premium: 'tools' as const,
        field: param,
        value: name,
        edits: [{ path: isOneOfSeveral ? [...path, name] : path }],
      }
    })
}

/** What the request asks for of these. */
export function findPremiums(sent: SentRequest, premiums: readonly Premium[]): PremiumUse[] {
  return PREMIUM_FIELDS.filter(
    ({ premium, formats }) => premiums.includes(premium) && formats.includes(sent.format),
  ).flatMap((row) => row.find(sent))
}

export interface Lowering {
  edits: readonly Edit[]
  headers: SentRequest['headers']
}

/** How to send the request without these. A choice of a tool that is no longer given goes, too. */
export function removePremiums({ json, headers }: SentRequest, uses: readonly PremiumUse[]): Lowering {
  const premiums = new Set(uses.map(({ premium }) => premium))
  const betas = PREMIUM_FIELDS.flatMap(({ premium, beta }) => (beta && premiums.has(premium) ? [beta] : []))
  const edits = uses.flatMap((use) => use.edits).toSorted((a, b) => comparePaths(b.path, a.path))
  return {
    edits: [...edits, ...(premiums.has('tools') ? dropToolChoice(json, edits) : [])],
    headers: betas.length === 0 ? headers : withoutBetas(headers, betas),
  }
}

/** A list without its last tool would be rejected with a choice of tools. */
function dropToolChoice(json: JsonObject, edits: readonly Edit[]): Edit[] {
  const { tools, tool_choice: choice } = json
  const removed = edits.filter(({ path }) => path[0] === 'tools')
  const isEmpty =
    Array.isArray(tools) &&
    tools.length > 0 &&
    tools.every((_, at) => removed.some(({ path }) => path.length === 2 && path[1] === at))
  if (isEmpty) return [{ path: ['tools'] }, { path: ['tool_choice'] }, { path: ['toolConfig'] }]
  if (!isObject(choice)) return []
  const names = removed.flatMap(({ path }) => {
    const tool = readAt(json, path)
    return isObject(tool) ? [tool.name, tool.type] : []
  })
  const isChosen = names.some((name) => name !== undefined && (name === choice.name || name === choice.type))
  return isChosen && listTools(json).length > 0 ? [{ path: ['tool_choice'] }] : []
}

function withoutBetas(headers: SentRequest['headers'], removed: readonly RegExp[]): SentRequest['headers'] {
  const { [BETA]: sent, ...others } = headers
  if (sent === undefined) return headers
  const kept = listBetas(headers).filter((name) => !removed.some((pattern) => pattern.test(name)))
  if (kept.length === listBetas(headers).length) return headers
  return kept.length === 0 ? others : { ...others, [BETA]: kept.join(',') }
}

/** Later elements of a list are removed first, so that the places of the others stay. */
function comparePaths(a: JsonPath, b: JsonPath): number {
  for (const [at, step] of a.entries()) {
    const other = b[at]
    if (step === other) continue
    if (typeof step === 'number' && typeof other === 'number') return step - other
    return String(step) < String(other) ? -1 : 1
  }
  return a.length - b.length
}
