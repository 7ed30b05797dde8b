import type { CapAlert } from './events.ts'
import { chooseUsdDecimals, formatUsd } from './format-usd.ts'
import type { LimitHref } from './views.ts'

/** The fraction of a cap from which the window and the tray show a warning. */
export const CAP_WARN_FRACTION = 0.8

export interface CapAlertText {
  title: string
  body: string
  /** Where the user can raise the limit. */
  href: LimitHref
}

/** The text of an alert, for desktop notifications and for the window. */
export function formatCapAlert({ keyId, name, percent, spentUsd, limitUsd }: CapAlert): CapAlertText {
  const full = spentUsd >= limitUsd
  const decimals = chooseUsdDecimals([spentUsd, limitUsd])
  const spent = `${formatUsd(spentUsd, decimals)} of ${formatUsd(limitUsd, decimals)} spent`
  const left = `${spent}, ${formatUsd(limitUsd - spentUsd, decimals)} left.`
  return keyId === null
    ? {
        title: full ? 'This month’s limit is reached' : `${percent}% of this month’s limit is used`,
        body: full ? `${spent}. Requests are rejected until the limit is raised or the month is over.` : left,
        href: '/settings#monthly-limit',
      }
    : {
        title: full ? `${name} has reached its cap` : `${name} has used ${percent}% of its cap`,
        body: full ? `${spent}. Requests with this key are rejected until its cap is raised.` : left,
        href: `/keys?cap=${keyId}`,
      }
}
