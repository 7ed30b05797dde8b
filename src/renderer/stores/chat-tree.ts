// Owns reading a conversation that has branches and lanes: which way is in sight, what a model has seen of it. Pure.
import type { ChatAsk } from '../chat-stream.ts'
import { parseCount } from '../usd-input.ts'
import type { Answer, Chat, Exchange } from './chats-kept.ts'
import { readTools } from './tools-text.ts'

/** From the first question to `tip`, by default the one in sight. */
export function pathOf(chat: Chat, tip = chat.tip): Exchange[] {
  const path: Exchange[] = []
  for (let id = tip; id !== null; ) {
    const exchange = chat.exchanges.find((one) => one.id === id)
    if (!exchange) break
    path.unshift(exchange)
    id = exchange.parent
  }
  return path
}

/** The exchange and its branches, oldest first. */
export function branchesOf(chat: Chat, { parent }: Exchange): Exchange[] {
  return chat.exchanges.filter((exchange) => exchange.parent === parent)
}

/** The end of the way that goes on from an exchange, along the newest branch each time. */
export function endOf(chat: Chat, id: string): string {
  const next = chat.exchanges.findLast(({ parent }) => parent === id)
  return next ? endOf(chat, next.id) : id
}

/** The answers of a lane, oldest first. */
export function versionsOf(exchange: Exchange, lane: number): Answer[] {
  return exchange.answers.filter((answer) => answer.lane === lane)
}

/** The answer that stands in a lane. */
export function answerOf(exchange: Exchange, lane: number): Answer | undefined {
  const versions = versionsOf(exchange, lane)
  return versions.find(({ id }) => id === exchange.picked[lane]) ?? versions.at(-1)
}

/** The lanes that were asked, in order. */
export function lanesOf({ answers }: Exchange): number[] {
  return [...new Set(answers.map(({ lane }) => lane))].toSorted((a, b) => a - b)
}

/**
 * What is asked of a model for the exchange `id` in `lane`: the way there, then its question. A model is shown its own
 * lane's answers, or the first lane's where it was not asked. What failed or said nothing is left out with its question.
 */
export function askFor(chat: Chat, id: string, lane: number, model: string): ChatAsk {
  const path = pathOf(chat, id)
  const messages: ChatAsk['messages'] = chat.system.trim() ? [{ role: 'system', content: chat.system }] : []
  path.forEach((exchange, index) => {
    const question = { role: 'user', content: contentOf(exchange) } as const
    if (index === path.length - 1) {
      messages.push(question)
      return
    }
    const answer = answerOf(exchange, lane) ?? answerOf(exchange, 0)
    if (!answer || answer.text === '' || answer.state === 'failed') return
    messages.push(question, { role: 'assistant', content: answer.text })
  })
  const temperature = chat.temperature.trim() === '' ? Number.NaN : Number(chat.temperature)
  const most = parseCount(chat.maxTokens)
  const tools = readTools(chat.tools)
  return {
    model,
    messages,
    ...(temperature >= 0 && temperature <= 2 ? { temperature } : {}),
    ...(most.ok && most.count !== null ? { maxTokens: most.count } : {}),
    ...(tools.ok && tools.tools.length > 0 ? { tools: tools.tools } : {}),
  }
}

function contentOf({ text, images }: Exchange): ChatAsk['messages'][number]['content'] {
  if (images.length === 0) return text
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ]
}

/** The first line of the first question; what a conversation is listed as. */
export function titleOf(chat: Chat): string {
  const [first] = chat.exchanges
  if (!first) return 'Untitled'
  return first.text.trim().split('\n')[0]?.slice(0, 80) || (first.imageCount > 0 ? 'Image' : 'Untitled')
}
