// What the next question would send, told while it is typed.
import type { ModelRecord } from '../../../shared/api/models.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { formatCount, formatUsd } from '../../kit/format.ts'
import type { Chat } from '../../parts/chats/chat-storage.ts'
import { findPath, getAnswer } from '../../parts/chats/chat-tree.ts'

/** The usual ratio for English text in most vocabularies. */
const BYTES_PER_TOKEN = 4

export interface PromptSize {
  text: string
  /** A model cannot read it all. */
  tooLong: boolean
}

/**
 * The size of the prompt with a question, and its cost by the price of uncached input. What was sent before is known from the last
 * answer; the question is counted by its length. `chosen`: the model of each column. Null without a question.
 */
export function describePrompt(
  chat: Chat,
  chosen: readonly string[],
  models: readonly ModelRecord[],
  question: string,
): PromptSize | null {
  if (question.trim() === '') return null
  const path = findPath(chat)
  const prompts = chosen.map((id, column) => {
    const before = path
      .flatMap((exchange) => getAnswer(exchange, column) ?? [])
      .findLast(({ tokensIn }) => tokensIn !== null)
    const sent = before ? (before.tokensIn ?? 0) + (before.tokensOut ?? 0) : countTokens(chat.system)
    const model = models.find((one) => one.id === id || `${one.provider}/${one.id}` === id)
    return { id, model, tokens: sent + countTokens(question) }
  })
  const [longest, tightest] = [prompts.toSorted((a, b) => b.tokens - a.tokens)[0], findTightest(prompts)]
  if (!longest) return null
  if (tightest && tightest.share > 1) {
    const { id, tokens, contextWindow } = tightest
    const context = `the context of ${id} (${formatCount(contextWindow, true)})`
    return { text: `About ${formatCount(tokens, true)} tokens: more than ${context}.`, tooLong: true }
  }
  const costs = prompts.map(({ model, tokens }) =>
    model?.pricing && !hasSamplePrices(model.provider)
      ? (tokens * model.pricing.inputPerMillion) / 1_000_000
      : null,
  )
  const parts = [
    `About ${formatCount(longest.tokens, true)} tokens`,
    ...(tightest ? [`${formatShare(tightest.share)} of the context`] : []),
    ...(costs.every((usd) => usd !== null)
      ? [`${formatUsd(costs.reduce((sum, usd) => sum + usd, 0))} before the answer`]
      : []),
  ]
  return { text: parts.join(' · '), tooLong: false }
}

function countTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN)
}

interface Prompt {
  id: string
  model: ModelRecord | undefined
  tokens: number
}

/** The prompt that fills the largest share of its model's context; null if no context is known. */
function findTightest(prompts: readonly Prompt[]) {
  const known = prompts.flatMap(({ id, model, tokens }) =>
    model?.contextWindow ? [{ id, tokens, contextWindow: model.contextWindow }] : [],
  )
  const shares = known.map((prompt) => ({ ...prompt, share: prompt.tokens / prompt.contextWindow }))
  return shares.toSorted((a, b) => b.share - a.share)[0] ?? null
}

function formatShare(share: number): string {
  return share < 0.01 ? '<1%' : `${Math.round(share * 100)}%`
}
