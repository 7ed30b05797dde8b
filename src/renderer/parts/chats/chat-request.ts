import type { ContentPart, Message, ToolCall } from '../../../shared/formats/chat.ts'
import type { ChatInput } from '../../data/chat-stream.ts'
import { type Answer, type Chat, type Exchange, findPath, getAnswer, type ToolResult } from './chat.ts'
import { readParameters } from './parameters.ts'

/** The request to `model` for the exchange `id` in `column`. Parameters that cannot be parsed are left out. */
export function buildChatRequest(chat: Chat, id: string, column: number, model: string): ChatInput {
  const system: Message[] = chat.system.trim() ? [{ role: 'system', content: chat.system }] : []
  return {
    model,
    messages: [...system, ...buildMessages(findPath(chat, id), column)],
    ...readParameters(chat).fields,
  }
}

/**
 * The messages along a path, up to and including its last question. A model sees the answers of its own column, or those of
 * the first column where its own has none. Failed and empty answers are left out together with their questions. A tool call
 * is included only with its result and vice versa, because providers reject one without the other.
 */
function buildMessages(path: readonly Exchange[], column: number): Message[] {
  const messages: Message[] = []
  let previous: Answer | undefined
  for (const [index, exchange] of path.entries()) {
    const results = findResults(previous, exchange)
    const isQuestion = exchange.text !== '' || listImages(exchange).length > 0
    if (exchange.results.length > 0 && results.length === 0 && !isQuestion) continue
    messages.push(...results.map(buildToolMessage))
    const question = isQuestion ? [{ role: 'user' as const, content: buildContent(exchange) }] : []
    const next = path[index + 1]
    if (!next) return [...messages, ...question]
    previous = getAnswer(exchange, column) ?? getAnswer(exchange, 0)
    if (!previous || previous.state === 'failed') continue
    const calls = buildToolCalls(previous, findResults(previous, next))
    if (previous.text === '' && calls.length === 0) continue
    messages.push(...question, {
      role: 'assistant',
      content: previous.text || null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    })
  }
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

function buildContent(exchange: Exchange): string | ContentPart[] {
  const images = listImages(exchange)
  if (images.length === 0) return exchange.text
  return [
    ...(exchange.text === '' ? [] : [{ type: 'text' as const, text: exchange.text }]),
    ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ]
}

/** Without those that are no longer in memory. */
function listImages({ images }: Exchange): string[] {
  return images.filter((url) => url !== '')
}
