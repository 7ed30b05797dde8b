// Owns what the desktop says of caps: in a notification when a share is reached, in the tray while little is left. Pure.
import type { Account } from '../shared/account.ts'
import { formatUsd } from '../shared/format-usd.ts'
import type { KeyMetadata } from '../shared/keys.ts'
import type { CapAlert } from '../shared/requests.ts'
import type { ViewHref } from '../shared/views.ts'

/** From this share of a cap on, the tray warns of it. */
const WARN_FROM = 0.8
const MOST_WARNINGS = 5

export interface AlertWords {
  title: string
  body: string
  /** Where something can be done about it. */
  href: ViewHref
}

/** What a notification says of an alert. */
export function alertWords({ keyId, name, percent, spentUsd, limitUsd }: CapAlert): AlertWords {
  const full = spentUsd >= limitUsd
  const share = `${full ? 100 : percent} %`
  const spent = `${formatUsd(spentUsd)} of ${formatUsd(limitUsd)} spent`
  const left = `${spent}, ${formatUsd(Math.max(0, limitUsd - spentUsd))} left.`
  return keyId === null
    ? {
        title: `This month's limit is used to ${share}`,
        body: full ? `${spent}. Calls are refused until the limit is raised or the month is over.` : left,
        href: '/settings',
      }
    : {
        title: `${name} has used ${share} of its cap`,
        body: full ? `${spent}. Calls with this key are refused until its cap is raised.` : left,
        href: '/keys',
      }
}

export interface CapWarning {
  label: string
  href: ViewHref
}

interface Capped extends CapWarning {
  share: number
}

/** A line for each cap that is nearly or wholly used, the fullest first; the last one counts those that do not fit. */
export function capWarnings(account: Account, keys: readonly KeyMetadata[]): CapWarning[] {
  const month = capped('This month', account.monthSpendUsd, account.monthlyLimitUsd, '/settings')
  const each = keys
    .filter((key) => key.revokedAt === null)
    .map(({ name, spendUsd, spendLimitUsd }) => capped(name, spendUsd, spendLimitUsd, '/keys'))
  const warnings = [month, ...each]
    .filter((one) => one !== null)
    .filter(({ share }) => share >= WARN_FROM)
    .sort((a, b) => b.share - a.share)
    .map(({ label, href }): CapWarning => ({ label, href }))
  if (warnings.length <= MOST_WARNINGS) return warnings
  const shown = warnings.slice(0, MOST_WARNINGS - 1)
  return [...shown, { label: `${warnings.length - shown.length} more caps are nearly used`, href: '/keys' }]
}

/** Null without a cap; a cap of nothing is a key that was put to rest, not one that runs out. */
function capped(name: string, spentUsd: number, limitUsd: number | null, href: ViewHref): Capped | null {
  if (limitUsd === null || limitUsd === 0) return null
  const left = limitUsd - spentUsd
  const rest =
    left > 0 ? `${formatUsd(left)} of ${formatUsd(limitUsd)} left` : `all of ${formatUsd(limitUsd)} spent`
  return { label: `${name}: ${rest}`, href, share: spentUsd / limitUsd }
}
