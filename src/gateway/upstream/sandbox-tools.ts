// Owns when the sandbox calls tools, and with which arguments. Knows nothing of streams or tokens.
import type { ChatRequest, Tool, ToolCall } from '../../shared/chat.ts'
import { isObject } from '../wire/json.ts'
import { instanceOf } from './sandbox-json.ts'
import { hashOf, topicsOf } from './sandbox-prose.ts'

function nameOf(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

function words(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase()
    .trim()
}

/** Verbs that tool names begin with and that say nothing of what the tool is about. */
const VERBS: ReadonlySet<string> = new Set(
  'add call check create delete do fetch find get list look lookup make query read run search send set show'.split(
    ' ',
  ),
)

/** Whether the message is about the tool: it has the words of its name, verbs aside, or two words of its description. */
function isMentioned(tool: Tool, message: string): boolean {
  const text = ` ${words(message)} `
  const has = (word: string): boolean => text.includes(` ${word} `)
  const name = words(nameOf(tool))
  if (name !== '' && has(name)) return true
  const nouns = name.split(' ').filter((word) => word !== '' && !VERBS.has(word))
  if (nouns.length > 0 && nouns.every(has)) return true
  const description = tool.type === 'function' ? (tool.function.description ?? '') : ''
  return topicsOf(description, 40).filter((topic) => has(words(topic))).length >= 2
}

function asksForTool(message: string): boolean {
  return /\b(call|use|invoke|run)\b[^.?!]*\b(tools?|functions?)\b/i.test(message)
}

interface Choice {
  /** `forced`: some tool is called whatever the message says. */
  mode: 'none' | 'auto' | 'forced'
  tools: readonly Tool[]
}

function namesIn(choice: Record<string, unknown>): string[] {
  const member = choice.function ?? choice.custom
  if (isObject(member) && typeof member.name === 'string') return [member.name]
  const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools.tools : undefined
  return Array.isArray(allowed) ? allowed.filter(isObject).flatMap(namesIn) : []
}

function readChoice(request: ChatRequest): Choice {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? 'auto'
  if (tools.length === 0 || choice === 'none') return { mode: 'none', tools: [] }
  if (choice === 'auto') return { mode: 'auto', tools }
  if (choice === 'required') return { mode: 'forced', tools }
  const names = namesIn(choice)
  const named = tools.filter((tool) => names.includes(nameOf(tool)))
  if (named.length === 0) return { mode: 'auto', tools }
  const allowed = choice.allowed_tools
  const mayAnswer = choice.type === 'allowed_tools' && isObject(allowed) && allowed.mode !== 'required'
  return { mode: mayAnswer ? 'auto' : 'forced', tools: named }
}

/**
 * The calls that the sandbox makes in answer to `asked`; none when it answers in words. In `auto` it only calls when
 * the user has the last word and speaks of a tool; in `required`, or for a named tool, always.
 */
export function toolCallsFor(request: ChatRequest, asked: string): ToolCall[] {
  const { mode, tools } = readChoice(request)
  if (mode === 'none') return []
  if (mode === 'auto' && request.messages.at(-1)?.role !== 'user') return []
  let called = tools.filter((tool) => isMentioned(tool, asked))
  if (called.length === 0 && (mode === 'forced' || asksForTool(asked))) called = tools.slice(0, 1)
  if (request.parallel_tool_calls === false) called = called.slice(0, 1)
  return called.map((tool, at) => {
    const id = `call_${hashOf(`${asked} ${nameOf(tool)} ${request.messages.length}`).toString(36)}${at}`
    if (tool.type === 'custom')
      return { id, type: 'custom', custom: { name: tool.custom.name, input: asked } }
    const made = instanceOf(tool.function.parameters ?? { type: 'object' }, asked)
    return { id, type: 'function', function: { name: tool.function.name, arguments: JSON.stringify(made) } }
  })
}
