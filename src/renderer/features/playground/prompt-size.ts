// What the next question would send, which the playground shows while it is typed.
import type { ModelRecord } from '../../../shared/api/models.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { formatCount, formatUsd } from '../../kit/format.ts'
import { type Chat, findPath, getAnswer } from '../../parts/chats/chat.ts'
import { findModel } from '../../parts/chats/chat-models.ts'

/** The usual ratio for English text in most vocabularies. */
const BYTES_PER_TOKEN = 4

export interface PromptSize {
  text: string
  /** A model cannot read it all. */
  tooLong: boolean
}

/**
 * The size of the prompt with a question, and its cost by the price of uncached input. What was sent before is taken from the last
 * answer that a model sees; the question is counted by its length. `chosen`: the model of each column. Null without a question.
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
    const last = path
      .map((exchange) => getAnswer(exchange, column) ?? getAnswer(exchange, 0))
      .findLast((answer) => answer && answer.tokensIn !== null)
    const sent = last ? (last.tokensIn ?? 0) + (last.tokensOut ?? 0) : countTokens(chat.system)
    const tokens = sent + countTokens(question)
    const model = findModel(models, id)
    const contextWindow = model?.contextWindow ?? Number.POSITIVE_INFINITY
    const pricing = model && !hasSamplePrices(model.provider) ? model.pricing : null
    const usd = pricing ? (tokens * pricing.inputPerMillion) / 1_000_000 : null
    return { id, tokens, contextWindow, share: tokens / contextWindow, usd }
  })
  const { id, tokens, contextWindow, share } = prompts.reduce((a, b) => (b.share > a.share ? b : a))
  if (share > 1) {
    const context = `the context of ${id} (${formatCount(contextWindow, true)})`
    return { text: `About ${formatCount(tokens, true)} tokens: more than ${context}.`, tooLong: true }
  }
  const costs = prompts.flatMap(({ usd }) => usd ?? [])
  const parts = [
    `About ${formatCount(Math.max(...prompts.map((prompt) => prompt.tokens)), true)} tokens`,
    ...(share > 0 ? [`${share < 0.01 ? '<1' : Math.round(share * 100)}% of the context`] : []),
    ...(costs.length === prompts.length
      ? [`${formatUsd(costs.reduce((sum, usd) => sum + usd))} before the answer`]
      : []),
  ]
  return { text: parts.join(' · '), tooLong: false }
}

function countTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN)
}
