// Owns what is asked of a model for an exchange: the messages of the way there, and the settings. Pure.
import type { ContentPart, Message, ToolCall } from '../../shared/chat.ts'
import type { ChatInput } from '../chat-stream.ts'
import { parseCount } from '../number-input.ts'
import type { Answer, Chat, Exchange, ToolResult } from './chat-storage.ts'
import { findPath, shownAnswer } from './chat-tree.ts'
import { parseExtraFields } from './parse-extra-fields.ts'
import { parseTools } from './parse-tools.ts'

/** What is asked of `model` for the exchange `id` in `column`. Settings that cannot be read are left to the model. */
export function buildChatRequest(chat: Chat, id: string, column: number, model: string): ChatInput {
  const temperature = chat.temperature.trim() === '' ? Number.NaN : Number(chat.temperature)
  const most = parseCount(chat.maxTokens)
  const tools = parseTools(chat.tools)
  const extra = parseExtraFields(chat.extra)
  const system: Message[] = chat.system.trim() ? [{ role: 'system', content: chat.system }] : []
  return {
    model,
    messages: [...system, ...messagesTo(findPath(chat, id), column)],
    ...(temperature >= 0 && temperature <= 2 ? { temperature } : {}),
    ...(most.ok && most.count !== null ? { maxTokens: most.count } : {}),
    ...(tools.ok && tools.tools.length > 0 ? { tools: tools.tools } : {}),
    ...(extra.ok && Object.keys(extra.fields).length > 0 ? { extra: extra.fields } : {}),
  }
}

/**
 * The messages of a way, its last question included and its last answer not. A model is shown its own column's answers, or
 * the first column's where it was not asked. What failed or said nothing is left out with its question. A call stands
 * only with its result, and a result only with its call: providers refuse one without the other.
 */
function messagesTo(path: readonly Exchange[], column: number): Message[] {
  const messages: Message[] = []
  let before: Answer | undefined
  path.forEach((exchange, index) => {
    const results = resultsFor(before, exchange)
    if (exchange.results.length > 0 && results.length === 0 && isBlank(exchange)) return
    messages.push(...results.map(toolMessage))
    const question = isBlank(exchange) ? [] : [{ role: 'user' as const, content: contentOf(exchange) }]
    const next = path[index + 1]
    if (!next) {
      messages.push(...question)
      return
    }
    before = shownAnswer(exchange, column) ?? shownAnswer(exchange, 0)
    if (!before || before.state === 'failed') return
    const calls = callsWith(before, resultsFor(before, next))
    if (before.text === '' && calls.length === 0) return
    messages.push(...question, {
      role: 'assistant',
      content: before.text || null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    })
  })
  return messages
}

/** The results in an exchange that belong to the calls of an answer. */
function resultsFor(answer: Answer | undefined, { results }: Exchange): ToolResult[] {
  if (!answer || answer.state === 'failed') return []
  return results.filter(
    ({ column, callId }) => column === answer.column && answer.toolUses.some(({ id }) => id === callId),
  )
}

function callsWith({ toolUses }: Answer, results: readonly ToolResult[]): ToolCall[] {
  return toolUses
    .filter(({ id }) => results.some(({ callId }) => callId === id))
    .map(({ id, name, arguments: json }) => ({ id, type: 'function', function: { name, arguments: json } }))
}

function toolMessage({ callId, content }: ToolResult): Message {
  return { role: 'tool', tool_call_id: callId, content }
}

function isBlank({ text, images }: Exchange): boolean {
  return text === '' && images.length === 0
}

function contentOf({ text, images }: Exchange): string | ContentPart[] {
  if (images.length === 0) return text
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ]
}
