// Owns telling that spend nears a cap, where no desktop does: in a browser, as a message in the corner.
import { toast } from 'sonner'
import { navigate } from 'wouter/use-browser-location'
import type { CapAlert } from '../shared/requests.ts'
import { formatUsd } from './format.ts'
import { isDesktop } from './is-desktop.ts'

/** Long enough to be read after looking up from something else. */
const SHOWN_MS = 15_000

export function showCapAlert(alert: CapAlert): void {
  if (isDesktop) return
  const place =
    alert.keyId === null
      ? { href: '/settings', label: 'Open Settings' }
      : { href: '/keys', label: 'Open Keys' }
  const tell = alert.spentUsd >= alert.limitUsd ? toast.error : toast.warning
  tell(capAlertWords(alert), {
    // A later share of the same cap takes the place of an earlier one.
    id: `cap-${alert.keyId ?? 'account'}`,
    duration: SHOWN_MS,
    actionButtonStyle: { background: 'var(--accent)', color: 'white' },
    action: { label: place.label, onClick: () => navigate(place.href) },
  })
}

export function capAlertWords({ keyId, name, percent, spentUsd, limitUsd }: CapAlert): string {
  const left = `${formatUsd(Math.max(0, limitUsd - spentUsd))} left of ${formatUsd(limitUsd)}`
  const who = keyId === null ? 'This month’s spend' : name
  if (spentUsd >= limitUsd) return `${who} has reached its ${keyId === null ? 'limit' : 'cap'}: ${left}.`
  return keyId === null
    ? `${percent} % of this month’s limit is used: ${left}.`
    : `${name} has used ${percent} % of its cap: ${left}.`
}
