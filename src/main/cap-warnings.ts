import type { Account } from '../shared/account.ts'
import { CAP_WARN_FRACTION } from '../shared/cap-alert.ts'
import { chooseUsdDecimals, formatUsd } from '../shared/format-usd.ts'
import type { KeyMetadata } from '../shared/keys.ts'
import type { ViewHref } from '../shared/views.ts'

const MAX_WARNINGS = 5

export interface CapWarning {
  label: string
  href: ViewHref
}

interface RankedWarning extends CapWarning {
  spentFraction: number
}

/** A line for each cap of which at least 80% is spent, the fullest first. The last line counts those that do not fit. */
export function listCapWarnings(account: Account, keys: readonly KeyMetadata[]): CapWarning[] {
  const month = createWarning('This month', account.monthSpendUsd, account.monthlyLimitUsd, '/settings')
  const each = keys
    .filter((key) => key.revokedAt === null)
    .map(({ name, spendUsd, spendLimitUsd }) => createWarning(name, spendUsd, spendLimitUsd, '/keys'))
  const warnings = [month, ...each]
    .filter((one) => one !== null)
    .filter(({ spentFraction }) => spentFraction >= CAP_WARN_FRACTION)
    .sort((a, b) => b.spentFraction - a.spentFraction)
    .map(({ label, href }): CapWarning => ({ label, href }))
  if (warnings.length <= MAX_WARNINGS) return warnings
  const shown = warnings.slice(0, MAX_WARNINGS - 1)
  return [...shown, { label: `${warnings.length - shown.length} more caps are nearly used`, href: '/keys' }]
}

/** Null without a cap, and for a cap of zero: such a key was paused on purpose. */
function createWarning(
  name: string,
  spentUsd: number,
  limitUsd: number | null,
  href: ViewHref,
): RankedWarning | null {
  if (limitUsd === null || limitUsd === 0) return null
  const left = limitUsd - spentUsd
  const decimals = chooseUsdDecimals([left, limitUsd])
  const limit = formatUsd(limitUsd, decimals)
  const status = left > 0 ? `${formatUsd(left, decimals)} left of ${limit}` : `all of ${limit} spent`
  return { label: `${name}: ${status}`, href, spentFraction: spentUsd / limitUsd }
}
