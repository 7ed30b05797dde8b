import type { ContentPart, Message, ToolCall } from '../../../shared/formats/chat.ts'
import type { ChatInput } from '../../data/chat-stream.ts'
import type { Answer, Chat, Exchange, ToolResult } from './chat-storage.ts'
import { findPath, getAnswer } from './chat-tree.ts'
import { readParameters } from './request-fields.ts'

/** The request to `model` for the exchange `id` in `column`. Parameters that cannot be parsed are left out. */
export function buildChatRequest(chat: Chat, id: string, column: number, model: string): ChatInput {
  const { fields, extra } = readParameters(chat)
  const system: Message[] = chat.system.trim() ? [{ role: 'system', content: chat.system }] : []
  return {
    model,
    messages: [...system, ...buildMessages(findPath(chat, id), column)],
    ...(Object.keys(fields).length > 0 ? { parameters: fields } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

/**
 * The messages along a path, up to and including its last question. A model sees the answers of its own column, or those of
 * the first column where its own has none. Failed and empty answers are left out together with their questions. A tool call
 * is included only with its result and vice versa, because providers reject one without the other.
 */
function buildMessages(path: readonly Exchange[], column: number): Message[] {
  const messages: Message[] = []
  let before: Answer | undefined
  path.forEach((exchange, index) => {
    const results = findResults(before, exchange)
    if (exchange.results.length > 0 && results.length === 0 && isEmpty(exchange)) return
    messages.push(...results.map(buildToolMessage))
    const question = isEmpty(exchange) ? [] : [{ role: 'user' as const, content: buildContent(exchange) }]
    const next = path[index + 1]
    if (!next) {
      messages.push(...question)
      return
    }
    before = getAnswer(exchange, column) ?? getAnswer(exchange, 0)
    if (!before || before.state === 'failed') return
    const calls = buildToolCalls(before, findResults(before, next))
    if (before.text === '' && calls.length === 0) return
    messages.push(...question, {
      role: 'assistant',
      content: before.text || null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    })
  })
  return messages
}

/** The results in an exchange that answer the tool calls of `answer`. */
function findResults(answer: Answer | undefined, { results }: Exchange): ToolResult[] {
  if (!answer || answer.state === 'failed') return []
  return results.filter(
    ({ column, callId }) => column === answer.column && answer.toolUses.some(({ id }) => id === callId),
  )
}

function buildToolCalls({ toolUses }: Answer, results: readonly ToolResult[]): ToolCall[] {
  return toolUses
    .filter(({ id }) => results.some(({ callId }) => callId === id))
    .map(({ id, name, arguments: json }) => ({ id, type: 'function', function: { name, arguments: json } }))
}

function buildToolMessage({ callId, content }: ToolResult): Message {
  return { role: 'tool', tool_call_id: callId, content }
}

function isEmpty({ text, images }: Exchange): boolean {
  return text === '' && images.length === 0
}

function buildContent({ text, images }: Exchange): string | ContentPart[] {
  if (images.length === 0) return text
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ]
}
