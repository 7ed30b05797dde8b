import type { Answer, Chat, Exchange } from './chat-storage.ts'

/** The exchanges from the first question to `tip`, by default along the branch that is shown. */
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

/** The last exchange after `id`, following the newest branch at each fork. */
export function findTip(chat: Chat, id: string): string {
  const next = chat.exchanges.findLast((one) => one.parent === id && isContinuation(chat, one))
  return next ? findTip(chat, next.id) : id
}

/** Whether an exchange continues the answers that are shown now: tool results belong to the calls of one answer. */
export function isContinuation(chat: Chat, { parent, results }: Exchange): boolean {
  if (results.length === 0) return true
  const before = chat.exchanges.find(({ id }) => id === parent)
  return (
    before !== undefined &&
    results.some(({ column, callId }) => getAnswer(before, column)?.toolUses.some(({ id }) => id === callId))
  )
}

/**
 * The tip after the answer of an exchange was replaced. Later exchanges may contain results of tools that the
 * previous answer had called; then the path ends at the newest branch that continues the current answer.
 */
export function resetTipIfStale(chat: Chat, exchangeId: string): string | null {
  const path = findPath(chat)
  const index = path.findIndex(({ id }) => id === exchangeId)
  const next = path[index + 1]
  return index < 0 || (next && isContinuation(chat, next)) ? chat.tip : findTip(chat, exchangeId)
}

/** The answers of a column, oldest first. */
export function listVersions(exchange: Exchange, column: number): Answer[] {
  return exchange.answers.filter((answer) => answer.column === column)
}

/** The answer that a column shows. */
export function getAnswer(exchange: Exchange, column: number): Answer | undefined {
  const versions = listVersions(exchange, column)
  return versions.find(({ id }) => id === exchange.selected[column]) ?? versions.at(-1)
}

/** The columns that have answers, in order. */
export function listColumns({ answers }: Exchange): number[] {
  return [...new Set(answers.map(({ column }) => column))].toSorted((a, b) => a - b)
}

/** The columns to send an exchange to: those whose tool calls it answers, or else one for each model. */
export function listTargetColumns({ models }: Chat, { results }: Exchange): number[] {
  if (results.length === 0) return models.map((_, column) => column)
  return [...new Set(results.map(({ column }) => column))].toSorted((a, b) => a - b)
}

/** The model chosen for a column, or else the one that last answered in it. */
export function resolveModel(chat: Chat, exchange: Exchange, column: number): string {
  const before = findPath(chat, exchange.id).findLast((one) => getAnswer(one, column))
  return chat.models[column] || (before && getAnswer(before, column)?.model) || (chat.models[0] ?? '')
}

/** Its name, or else the first line of the first question. */
export function getTitle({ title, exchanges }: Chat): string {
  if (title !== null) return title
  const first = exchanges.find(({ text, imageCount }) => text.trim() !== '' || imageCount > 0)
  if (!first) return 'Untitled'
  return first.text.trim().split('\n')[0]?.slice(0, 80) || 'Image'
}
