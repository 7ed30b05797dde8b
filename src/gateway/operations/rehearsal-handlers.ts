import type { AccountRehearsal, KeyRehearsal, Rehearsal } from '../../shared/rehearsal.ts'
import type { AccountSpendLimit } from '../../shared/spend-limits.ts'
import type { Tried } from '../billing/rehearsal.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { GatewayServices } from './services.ts'

export function rehearseKey(
  key: KeyState,
  { spendLimitUsd: usd = null, spendLimits = [], days }: KeyRehearsal,
  { rehearsals }: Pick<GatewayServices, 'rehearsals'>,
): Promise<Rehearsal> {
  const cap: Tried[] = usd === null ? [] : [{ param: 'spendLimitUsd', limit: { usd, per: 'lifetime' } }]
  return rehearsals.run(key, [...cap, ...spendLimits.map(toTried)], days)
}

export function rehearseAccount(
  { monthlyLimitUsd: usd = null, spendLimits = [], days }: AccountRehearsal,
  { rehearsals }: Pick<GatewayServices, 'rehearsals'>,
): Promise<Rehearsal> {
  const month: Tried[] = usd === null ? [] : [{ param: 'monthlyLimitUsd', limit: { usd, per: 'month' } }]
  return rehearsals.run(null, [...month, ...spendLimits.map(toTried)], days)
}

function toTried(limit: AccountSpendLimit, index: number): Tried {
  return { param: `spendLimits[${index}]`, limit }
}
