import type { Account } from '../../shared/api/account.ts'
import { NO_KEY_OPTIONS } from '../../shared/api/key-options.ts'
import type { KeyMetadata } from '../../shared/api/keys.ts'

/** An account without limits. */
export const sampleAccount: Account = {
  plan: 'pay-as-you-go',
  spendUsd: 50,
  reservedUsd: 0,
  monthSpendUsd: 5,
  monthlyLimitUsd: null,
  monthStartsAt: '2026-11-01T00:00:00.000Z',
  monthResetsAt: '2026-12-01T00:00:00.000Z',
  todaySpendUsd: 1,
  spendLimits: [],
  timeZone: 'UTC',
  pausedAt: null,
}

/** The key, or the account, with its main limit before the others: a lifetime cap, or a limit per month. */
export function limited<T extends KeyMetadata | Account>(owner: T, usd: number): T {
  const { reservedUsd, spendLimits } = owner
  const main =
    'plan' in owner
      ? {
          usd,
          per: 'month' as const,
          spentUsd: owner.monthSpendUsd,
          reservedUsd,
          resetsAt: owner.monthResetsAt,
        }
      : { usd, per: 'lifetime' as const, spentUsd: owner.spendUsd, reservedUsd, resetsAt: null }
  return { ...owner, spendLimits: [main, ...spendLimits] }
}

/** A key without limits that has spent nothing. */
export const sampleKey: KeyMetadata = {
  ...NO_KEY_OPTIONS,
  id: 'key_1',
  name: 'Agent',
  scope: 'full',
  purpose: 'user',
  secretHint: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  spendUsd: 0,
  reservedUsd: 0,
  spendLimitUsd: null,
}
