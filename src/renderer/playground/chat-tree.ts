// Owns reading a conversation that has branches and lanes: which way is in sight, which answers stand. Pure.
import type { Answer, Chat, Exchange } from './chat-storage.ts'

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
export function branchesOf(chat: Chat, exchange: Exchange): Exchange[] {
  return chat.exchanges.filter(
    (one) => one.id === exchange.id || (one.parent === exchange.parent && goesOn(chat, one)),
  )
}

/** The end of the way that goes on from an exchange, along the newest branch each time. */
export function endOf(chat: Chat, id: string): string {
  const next = chat.exchanges.findLast((one) => one.parent === id && goesOn(chat, one))
  return next ? endOf(chat, next.id) : id
}

/** Whether an exchange goes on from answers that stand now: results belong to the calls of one certain answer. */
export function goesOn(chat: Chat, { parent, results }: Exchange): boolean {
  if (results.length === 0) return true
  const before = chat.exchanges.find(({ id }) => id === parent)
  return (
    before !== undefined &&
    results.some(({ lane, callId }) => answerOf(before, lane)?.toolUses.some(({ id }) => id === callId))
  )
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

/** The lanes that an exchange is for: those whose tools gave results, or all that there are models for. */
export function lanesFor({ models }: Chat, { results }: Exchange): number[] {
  if (results.length === 0) return models.map((_, lane) => lane)
  return [...new Set(results.map(({ lane }) => lane))].toSorted((a, b) => a - b)
}

/** The model that a lane asks now, or asked before. */
export function modelOf(chat: Chat, exchange: Exchange, lane: number): string {
  const before = pathOf(chat, exchange.id).findLast((one) => answerOf(one, lane))
  return chat.models[lane] || (before && answerOf(before, lane)?.model) || (chat.models[0] ?? '')
}

/** The first line of the first question; what a conversation is listed as. */
export function titleOf({ exchanges }: Chat): string {
  const first = exchanges.find(({ text, imageCount }) => text.trim() !== '' || imageCount > 0)
  if (!first) return 'Untitled'
  return first.text.trim().split('\n')[0]?.slice(0, 80) || 'Image'
}
