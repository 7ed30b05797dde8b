// The errors of a request that a spend limit refuses, or whose stream it ends.
import type { ErrorBody } from '../../shared/errors.ts'
import { formatUsd } from '../../shared/format-usd.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'
import type { KeyState } from '../keys/api-keys.ts'
import { GatewayError, quotaExceeded } from '../platform/errors.ts'
import type { AccountService } from './account.ts'

/** Seconds until a retry makes sense: running requests have had time to end. */
const RETRY_AFTER_S = 5

export interface LimitReached {
  code: 'spend_limit_reached' | 'account_limit_reached'
  message: string
}

export function keyLimitReached(key: KeyState): LimitReached {
  const spent = `${usd(key.spendNano)} of ${limit(key.spendLimitUsd)}`
  return {
    code: 'spend_limit_reached',
    message: `The key "${key.name}" has spent ${spent}. Raise its cap in Tollgate to continue.`,
  }
}

export function accountLimitReached(account: AccountService): LimitReached {
  const { monthSpendUsd, monthlyLimitUsd, monthResetsAt } = account.view()
  return {
    code: 'account_limit_reached',
    message: `This month's limit is reached: ${formatUsd(monthSpendUsd)} of ${limit(monthlyLimitUsd)} spent. Raise it in Tollgate, or wait until ${monthResetsAt}.`,
  }
}

export function limitReachedError({ code, message }: LimitReached): GatewayError {
  return quotaExceeded(code, message)
}

/** The final error of a stream that its key's cap ends. */
export function streamCutByKey(key: KeyState): LimitReached {
  return {
    code: 'spend_limit_reached',
    message: `The answer was stopped here, because the cap of the key "${key.name}" (${limit(key.spendLimitUsd)}) is used up by this request and others. Raise its cap in Tollgate to continue.`,
  }
}

/** The final error of a stream that the monthly limit ends. */
export function streamCutByAccount(account: AccountService): LimitReached {
  const { monthlyLimitUsd, monthResetsAt } = account.view()
  return {
    code: 'account_limit_reached',
    message: `The answer was stopped here, because this month's limit (${limit(monthlyLimitUsd)}) is used up. Raise it in Tollgate, or wait until ${monthResetsAt}.`,
  }
}

export function cutBody({ code, message }: LimitReached): ErrorBody {
  return { type: 'insufficient_quota', code, message }
}

/** Only running requests are in the way: that passes, so the client may retry. */
export function stillReserved(key: KeyState, account: AccountService, waitedMs: number): GatewayError {
  const ofKey = key.limitNano !== null && key.spendNano + key.reservedNano >= key.limitNano
  const whose = ofKey ? `the key "${key.name}" may still spend` : 'may still be spent this month'
  const reserved = usd(ofKey ? key.reservedNano : account.reservedNano)
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    code: 'spend_reserved',
    message: `All that ${whose} is reserved by running requests (${reserved}), and they did not end within ${waitedMs / 1000} s. Try again when they are done, or raise the ${ofKey ? 'cap' : "month's limit"} in Tollgate.`,
    headers: { 'retry-after': String(RETRY_AFTER_S), 'x-should-retry': 'true' },
  })
}

function usd(nano: NanoUsd): string {
  return formatUsd(nanoToUsd(nano))
}

/** The limit was reached, so there is one. */
function limit(limitUsd: number | null): string {
  return formatUsd(limitUsd ?? 0)
}
