// Owns reading a conversation that has branches and columns: which way is in sight, which answers stand. Pure.
import type { Answer, Chat, Exchange } from './chat-storage.ts'

/** From the first question to `tip`, by default the one in sight. */
export function findPath(chat: Chat, tip = chat.tip): Exchange[] {
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
export function listBranches(chat: Chat, exchange: Exchange): Exchange[] {
  return chat.exchanges.filter(
    (one) => one.id === exchange.id || (one.parent === exchange.parent && isContinuation(chat, one)),
  )
}

/** The end of the way that goes on from an exchange, along the newest branch each time. */
export function findTip(chat: Chat, id: string): string {
  const next = chat.exchanges.findLast((one) => one.parent === id && isContinuation(chat, one))
  return next ? findTip(chat, next.id) : id
}

/** Whether an exchange goes on from answers that stand now: results belong to the calls of one certain answer. */
export function isContinuation(chat: Chat, { parent, results }: Exchange): boolean {
  if (results.length === 0) return true
  const before = chat.exchanges.find(({ id }) => id === parent)
  return (
    before !== undefined &&
    results.some(({ column, callId }) =>
      shownAnswer(before, column)?.toolUses.some(({ id }) => id === callId),
    )
  )
}

/** The answers of a column, oldest first. */
export function listVersions(exchange: Exchange, column: number): Answer[] {
  return exchange.answers.filter((answer) => answer.column === column)
}

/** The answer that stands in a column. */
export function shownAnswer(exchange: Exchange, column: number): Answer | undefined {
  const versions = listVersions(exchange, column)
  return versions.find(({ id }) => id === exchange.picked[column]) ?? versions.at(-1)
}

/** The columns that were asked, in order. */
export function listColumns({ answers }: Exchange): number[] {
  return [...new Set(answers.map(({ column }) => column))].toSorted((a, b) => a - b)
}

/** The columns that an exchange is for: those whose tools gave results, or all that there are models for. */
export function listTargetColumns({ models }: Chat, { results }: Exchange): number[] {
  if (results.length === 0) return models.map((_, column) => column)
  return [...new Set(results.map(({ column }) => column))].toSorted((a, b) => a - b)
}

/** The model that a column asks now, or asked before. */
export function resolveModel(chat: Chat, exchange: Exchange, column: number): string {
  const before = findPath(chat, exchange.id).findLast((one) => shownAnswer(one, column))
  return chat.models[column] || (before && shownAnswer(before, column)?.model) || (chat.models[0] ?? '')
}

/** The first line of the first question; what a conversation is listed as. */
export function getTitle({ exchanges }: Chat): string {
  const first = exchanges.find(({ text, imageCount }) => text.trim() !== '' || imageCount > 0)
  if (!first) return 'Untitled'
  return first.text.trim().split('\n')[0]?.slice(0, 80) || 'Image'
}
