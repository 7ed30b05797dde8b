import type { Account } from '../shared/api/account.ts'
import type { KeyMetadata } from '../shared/api/keys.ts'
import { type LimitHref, limitHref, type ViewHref } from '../shared/desktop/views.ts'
import {
  byNearness,
  CAP_WARN_FRACTION,
  describeScope,
  formatReset,
  type Limit,
  limitsOfAccount,
  limitsOfKey,
  nearestLimit,
  usedPart,
} from '../shared/limits/limits.ts'
import { chooseUsdDecimals, formatUsd } from '../shared/money/format-usd.ts'

const MAX_WARNINGS = 5

export interface CapWarning {
  label: string
  href: ViewHref | LimitHref
}

interface NamedLimit {
  name: string
  limit: Limit
}

/**
 * A line for the nearest limit of each key and each limit of the account of which at least 80% is spent, the nearest first. The
 * last line counts those that do not fit.
 */
export function listCapWarnings(account: Account, keys: readonly KeyMetadata[]): CapWarning[] {
  const ofAccount = limitsOfAccount(account).map((limit) => ({ name: 'All keys', limit }))
  const ofKeys = keys.flatMap((key): NamedLimit[] => {
    const limit = key.revokedAt === null ? nearestLimit(limitsOfKey(key)) : null
    return limit === null ? [] : [{ name: key.name, limit }]
  })
  const near = [...ofAccount, ...ofKeys]
    // A limit of zero pauses on purpose.
    .filter(({ limit }) => limit.limitUsd > 0 && usedPart(limit) >= CAP_WARN_FRACTION)
    .toSorted((a, b) => byNearness(a.limit, b.limit))
  const fits = near.length <= MAX_WARNINGS ? MAX_WARNINGS : MAX_WARNINGS - 1
  const warnings = near.slice(0, fits).map((named) => toWarning(named, account.timeZone))
  const rest = near.length - warnings.length
  return rest === 0 ? warnings : [...warnings, { label: `${rest} more caps are nearly used`, href: '/keys' }]
}

/** "Editor: $1.00 left of $5.00 per day, resets on 23 Nov at 00:00" */
function toWarning({ name, limit }: NamedLimit, timeZone: string): CapWarning {
  const { keyId, kind, index, limitUsd, spentUsd, resetsAt, warnsOnly } = limit
  const left = limitUsd - spentUsd
  const decimals = chooseUsdDecimals([left, limitUsd])
  const whole = [formatUsd(limitUsd, decimals), describeScope(limit)].join(' ').trimEnd()
  const status = left > 0 ? `${formatUsd(left, decimals)} left of ${whole}` : `all of ${whole} spent`
  const reset = resetsAt === null ? '' : `, resets on ${formatReset(Date.parse(resetsAt), timeZone)}`
  return {
    label: `${name}: ${status}${warnsOnly ? ' (only warns)' : ''}${reset}`,
    href: limitHref(keyId, { ...kind, index }),
  }
}
