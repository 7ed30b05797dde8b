import type { Account } from '../shared/account.ts'
import type { CapAlert } from '../shared/events.ts'
import { formatUsd } from '../shared/format-usd.ts'
import type { KeyMetadata } from '../shared/keys.ts'
import type { ViewHref } from '../shared/views.ts'

/** The fraction of a cap from which the tray shows a warning. */
const WARN_FROM = 0.8
const MAX_WARNINGS = 5

interface AlertText {
  title: string
  body: string
  /** The view in which the user can raise the cap. */
  href: ViewHref
}

/** The text of a notification. */
export function formatCapAlert({ keyId, name, percent, spentUsd, limitUsd }: CapAlert): AlertText {
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

interface RankedWarning extends CapWarning {
  share: number
}

/** A line for each cap of which at least 80 % is spent, the fullest first. The last line counts those that do not fit. */
export function listCapWarnings(account: Account, keys: readonly KeyMetadata[]): CapWarning[] {
  const month = createWarning('This month', account.monthSpendUsd, account.monthlyLimitUsd, '/settings')
  const each = keys
    .filter((key) => key.revokedAt === null)
    .map(({ name, spendUsd, spendLimitUsd }) => createWarning(name, spendUsd, spendLimitUsd, '/keys'))
  const warnings = [month, ...each]
    .filter((one) => one !== null)
    .filter(({ share }) => share >= WARN_FROM)
    .sort((a, b) => b.share - a.share)
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
  const status =
    left > 0 ? `${formatUsd(left)} of ${formatUsd(limitUsd)} left` : `all of ${formatUsd(limitUsd)} spent`
  return { label: `${name}: ${status}`, href, share: spentUsd / limitUsd }
}
