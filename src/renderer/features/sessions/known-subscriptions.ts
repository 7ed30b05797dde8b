import type { Subscription } from '../../../shared/api/account.ts'

/**
 * Subscriptions that include a coding agent, with suggested amounts: list prices in the USA, by the month and without taxes
 * (claude.com/pricing, openai.com/chatgpt/pricing, cursor.com/pricing, github.com/features/copilot/plans). Vendors change
 * them, so the user can change each amount.
 */
export const KNOWN_SUBSCRIPTIONS: readonly Subscription[] = [
  { name: 'Claude Pro', monthlyUsd: 20 },
  { name: 'Claude Max 5x', monthlyUsd: 100 },
  { name: 'Claude Max 20x', monthlyUsd: 200 },
  { name: 'ChatGPT Plus', monthlyUsd: 20 },
  { name: 'ChatGPT Pro', monthlyUsd: 200 },
  { name: 'Cursor Pro', monthlyUsd: 20 },
  { name: 'Cursor Ultra', monthlyUsd: 200 },
  { name: 'GitHub Copilot Pro', monthlyUsd: 10 },
  { name: 'GitHub Copilot Pro+', monthlyUsd: 39 },
]

/** The year of these prices. */
export const PRICES_FROM = 2026
