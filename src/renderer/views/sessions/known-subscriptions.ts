import type { Subscription } from '../../../shared/account.ts'

/**
 * Subscriptions that include a coding agent, at their list price by the month: claude.com/pricing, openai.com/chatgpt/pricing,
 * cursor.com/pricing, github.com/features/copilot/plans. The user can change each amount.
 */
export const KNOWN_SUBSCRIPTIONS: readonly Subscription[] = [
  { name: 'Claude Pro', monthlyUsd: 20 },
  { name: 'Claude Max 5x', monthlyUsd: 100 },
  { name: 'Claude Max 20x', monthlyUsd: 200 },
  { name: 'ChatGPT Plus', monthlyUsd: 20 },
  { name: 'ChatGPT Pro', monthlyUsd: 200 },
  { name: 'Cursor Pro', monthlyUsd: 20 },
  { name: 'GitHub Copilot Pro', monthlyUsd: 10 },
]
